// A ticket lock for three threads. Tickets count modulo the number of threads, which is
// enough, since no more of them are out at a time.
// Safe under SC and TSO. Unsafe under PSO: calling the next ticket can overtake the store to
// `owner`, which then hits the next holder.

const N = 3;

shared 0..N-1 next, serving;
shared 0..N-1 owner;

// fetch_add modulo N
0..N-1 take() {
    0..N-1 ticket;
    atomic {
        ticket = next;
        next = (ticket + 1) % N;
    }
    return ticket;
}

process client(0..N-1 me) {
    0..N-1 ticket;
    while (true) {
        ticket = take();
        while (serving != ticket) {}
        owner = me;
      critical:
        assert(owner == me);
        serving = (ticket + 1) % N;
    }
}

start client(0), client(1), client(2);

at most 1 at critical;
