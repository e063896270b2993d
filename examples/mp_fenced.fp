// Message passing with a store-store fence: safe under SC, TSO and PSO.
// The fence keeps the flag behind the data. The reader needs none: loads are not
// reordered under these models.

shared int data;
shared bool ready;

thread writer {
    data = 42;
    fence store_store;
    ready = true;
}

thread reader {
    while (!ready) {}
    assert(data == 42);
}
