// A sense-reversing barrier: the last thread to arrive resets the count and flips the sense,
// which the others wait for. After the barrier nobody may be a round behind.
// Safe under SC and TSO. Unsafe under PSO: the new sense can overtake the new count, and a
// thread that comes to the next barrier counts down from 0.

const N = 3;

shared 0..N missing = N;
shared bool sense;
shared 0..2 round[N];               // modulo 3
local bool my_sense;

void barrier() {
    my_sense = !my_sense;
    if (fetch_sub(missing, 1) == 1) {
        missing = N;
        sense = my_sense;
    } else {
        while (sense != my_sense) {}
    }
}

process worker(0..N-1 me) {
    0..2 mine = 0;
    0..N other;
    while (true) {
        mine = (mine + 1) % 3;
        round[me] = mine;
        barrier();
        other = N;
        while (other > 0) {
            other--;
            assert(round[other] != (mine + 2) % 3);     // not a round behind
        }
    }
}

start worker(0), worker(1), worker(2);
