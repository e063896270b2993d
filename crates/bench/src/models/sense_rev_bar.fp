// A sense-reversing barrier for two threads. Nobody may be past a barrier that the other has not
// come to.
shared 0..2 missing = 2;
shared bool sense;
local bool my_sense;

process worker() {
    while (true) {
        my_sense = !my_sense;
        if (fetch_sub(missing, 1) == 1) {
            missing = 2;
            sense = my_sense;
        } else {
            while (sense != my_sense) {}
        }
      passed: skip;
        assert(missing != 0);
    }
}

start worker[2]();
