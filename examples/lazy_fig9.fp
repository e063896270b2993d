// Figure 9 of "Lazy TSO Reachability" (FASE 2015) with N = 5: t1 stores 0 to N-1 to x in a
// loop; t2 wants to load 1 and then 0, while t1 loads y before t2's store of it is seen.
// Safe under SC. Under TSO and PSO both goals are reached together: t1 goes through the
// loop twice, and its stores stay in the buffer past the load of y.

const N = 5;

shared 0..N x;
shared bool y;

thread t1 {
    0..N r;
    bool seen;
    while (true) {
        if (r < N) {
            x = r;
            r = r + 1;
        } else {
            choose {
                r = 0;
            } or {
                seen = y;
                assume(!seen);
              goal:
                skip;
                return;
            }
        }
    }
}

thread t2 {
    0..N r;
    y = true;
    r = x;
    assume(r == 1);
    r = x;
    assume(r == 0);
  goal:
    skip;
}

forbid t1 at goal and t2 at goal;
