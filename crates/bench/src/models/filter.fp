// Peterson's filter lock for N threads.
const N = 3;

shared 0..N level[N];
shared 0..N victim[N];

process filter(0..N me) {
    1..N l = 1;
    0..N k;
    while (true) {
        l = 1;
        while (l < N) {
            level[me] = l;
            victim[l] = me;
            k = 0;
            while (k < N) {
                if (k != me) {
                    while (level[k] >= l && victim[l] == me) {}
                }
                k = k + 1;
            }
            l = l + 1;
        }
      critical:
        skip;
        level[me] = 0;
    }
}

at most 1 at critical;
