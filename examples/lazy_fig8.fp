// Figure 8 of "Lazy TSO Reachability" (FASE 2015) with N = 4: Dekker's core, with a diamond
// of N branches over another variable between the store and the load.
// Safe under SC. Under TSO and PSO both goals are reached together: a store is delayed past
// the whole diamond.

const N = 4;

shared bool x, y;
shared 0..N a, b;

thread t1 {
    0..N r;
    bool seen;
    x = true;
    r = a;
    choose { assume(r == 0); a = 1; }
    or { assume(r == 1); a = 2 % N; }
    or { assume(r == 2); a = 3 % N; }
    or { assume(r == 3); a = 4 % N; }
    seen = y;
    assume(!seen);
  goal:
    skip;
}

thread t2 {
    0..N r;
    bool seen;
    y = true;
    r = b;
    choose { assume(r == 0); b = 1; }
    or { assume(r == 1); b = 2 % N; }
    or { assume(r == 2); b = 3 % N; }
    or { assume(r == 3); b = 4 % N; }
    seen = x;
    assume(!seen);
  goal:
    skip;
}

forbid t1 at goal and t2 at goal;
