// Peterson's algorithm with release stores and acquire loads. Wrong: each thread may see the other's old flag.
// The critical section stores to a plain variable: if both threads are in it, that is a data race, too.

shared bool flag[2];
shared 0..1 turn, owner;

process peterson(0..1 me) {
    bool other;
    0..1 whose;
    while (true) {
        flag[me]@release = true;
        turn@release = 1 - me;
        do {
            other = flag[1 - me]@acquire;
            whose = turn@acquire;
        } while (other && whose == 1 - me);
      critical:
        owner = me;
        flag[me]@release = false;
    }
}

start peterson(0), peterson(1);

at most 1 at critical;
