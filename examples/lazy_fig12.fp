// Figure 12 of "Lazy TSO Reachability" (FASE 2015): no thread ever reads 2, so no goal is
// reached under any model. Buffers grow without bound, so that explicit search does not end
// under TSO and PSO: its answer is unknown, with the bounds it finished.

shared 0..2 x, y;

thread t1 {
    0..2 r;
    while (true) {
        choose { x = 1 - r; } or { r = y; } or { assume(r == 2); break; }
    }
  goal:
    skip;
}

thread t2 {
    0..2 r;
    while (true) {
        choose { y = 1 - r; } or { r = x; } or { assume(r == 2); break; }
    }
  goal:
    skip;
}

forbid t1 at goal and t2 at goal;
