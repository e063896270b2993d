// The non-blocking write protocol of nbw.fp, safe under SC, TSO and PSO.
// The first store-store fence keeps the data behind the odd version, the second one the even
// version behind the data. The reader needs none: loads are not reordered.

const WRITES = 3;

shared 0..2*WRITES version;         // odd while a write is under way
shared 0..WRITES low, high;

thread writer {
    0..WRITES i = 0;
    while (i < WRITES) {
        i++;
        version++;
        fence store_store;
        low = i;
        high = i;
        fence store_store;
        version++;
    }
}

thread reader {
    0..2*WRITES before, after;
    0..WRITES l, h;
    while (true) {
        do {
            before = version;
            l = low;
            h = high;
            after = version;
        } while (before != after || before % 2 == 1);
        assert(l == h);
        assert(2 * l == before);
    }
}
