// The sense-reversing barrier of barrier.fp, safe under SC, TSO and PSO.
// The store-store fence keeps the new sense behind the new count. What a thread did before
// the barrier needs no fence: fetch_sub drains the buffer.

const N = 3;

shared 0..N missing = N;
shared bool sense;
shared 0..2 round[N];               // modulo 3
local bool my_sense;

void barrier() {
    my_sense = !my_sense;
    if (fetch_sub(missing, 1) == 1) {
        missing = N;
        fence store_store;
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
