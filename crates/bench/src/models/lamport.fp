// Lamport's fast mutual exclusion algorithm (ACM TOCS 1987, algorithm 2) for N threads.
const N = 3;

shared bool b[N];
shared 0..N x, y;

process lamport(1..N me) {
    0..N i;
    while (true) {
      begin:
        b[me - 1] = true;
        x = me;
        if (y != 0) {
            b[me - 1] = false;
            while (y != 0) {}
            goto begin;
        }
        y = me;
        if (x != me) {
            b[me - 1] = false;
            i = 0;
            while (i < N) {
                while (b[i]) {}
                i = i + 1;
            }
            if (y != me) {
                while (y != 0) {}
                goto begin;
            }
        }
      critical:
        skip;
        y = 0;
        b[me - 1] = false;
    }
}

at most 1 at critical;
