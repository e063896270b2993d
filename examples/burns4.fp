// Burns's mutual exclusion algorithm for four threads, with one bit each.
// Right under SC. Under TSO and PSO two threads can be critical at once: each looks at the
// other's flag while its own store of `true` still waits in its buffer. PSO adds nothing to
// TSO here, as each thread stores to one cell only.

const N = 4;

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

start burns(0), burns(1), burns(2), burns(3);

at most 1 at critical;
