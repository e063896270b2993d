// The non-blocking write protocol, by Kopetz and Reisinger: the writer never waits; it counts
// the version up before and after each write. The reader tries again until it finds the same
// even version before and after its loads.
// Safe under SC and TSO. Under PSO the stores can change places, and the reader accepts half
// of a write.

const WRITES = 3;

shared 0..2*WRITES version;         // odd while a write is under way
shared 0..WRITES low, high;

thread writer {
    0..WRITES i = 0;
    while (i < WRITES) {
        i++;
        version++;
        low = i;
        high = i;
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
