// Dekker's algorithm with release stores and acquire loads. Wrong: each thread may see the other's old flag.

shared bool flag[2];
shared 0..1 turn, owner;

process dekker(0..1 me) {
    bool other;
    0..1 whose;
    while (true) {
        flag[me]@release = true;
        other = flag[1 - me]@acquire;
        while (other) {
            whose = turn@acquire;
            if (whose != me) {
                flag[me]@release = false;
                do {
                    whose = turn@acquire;
                } while (whose != me);
                flag[me]@release = true;
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
