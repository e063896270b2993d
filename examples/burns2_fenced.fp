// Burns's algorithm for two threads, repaired: safe under SC, TSO and PSO.
// The full fence makes the flag visible before the thread looks at the others' flags. No more
// is needed: of two threads that both have raised their flags, the higher one gives way.

const N = 2;

shared bool flag[N];

process burns(0..N-1 me) {
    0..N other;
    while (true) {
      retry:
        other = 0;
        while (other < me) {
            while (flag[other]) {}
            other++;
        }
        flag[me] = true;
        fence;
        other = 0;
        while (other < me) {
            if (flag[other]) {
                flag[me] = false;
                goto retry;
            }
            other++;
        }
        other = me + 1;
        while (other < N) {
            while (flag[other]) {}
            other++;
        }
      critical:
        skip;
        flag[me] = false;
    }
}

start burns(0), burns(1);

at most 1 at critical;
