// Message passing: one thread writes data and raises a flag, the other waits for the flag.
// Safe under SC and TSO, where stores reach memory in program order. Under PSO the flag
// can overtake the data, and the reader finds the old value.

shared int data;
shared bool ready;

thread writer {
    data = 42;
    ready = true;
}

thread reader {
    while (!ready) {}
    assert(data == 42);
}
