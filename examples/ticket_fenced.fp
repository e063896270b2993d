// The ticket lock of ticket.fp, safe under SC, TSO and PSO.
// The store-store fence keeps the call of the next ticket behind the stores of the critical
// section. Taking a ticket needs no fence: an atomic section drains the buffer.

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
        fence store_store;
        serving = (ticket + 1) % N;
    }
}

start client(0), client(1), client(2);

at most 1 at critical;
