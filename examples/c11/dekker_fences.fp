// Dekker's algorithm with release, acquire, and a seq_cst fence after a flag is raised. Whoever waits may see old values of `turn`, and the
// search that follows them has more runs than C11: unknown.

shared bool flag[2];
shared 0..1 turn, owner;

process dekker(0..1 me) {
    bool other;
    0..1 whose;
    while (true) {
        flag[me]@release = true;
        fence seq_cst;
        other = flag[1 - me]@acquire;
        while (other) {
            whose = turn@acquire;
            if (whose != me) {
                flag[me]@release = false;
                do {
                    whose = turn@acquire;
                } while (whose != me);
                flag[me]@release = true;
                fence seq_cst;
            }
            other = flag[1 - me]@acquire;
        }
      critical:
        owner = me;
        turn@release = 1 - me;
        flag[me]@release = false;
    }
}

start dekker(0), dekker(1);

at most 1 at critical;
