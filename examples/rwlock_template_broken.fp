// A readers/writer lock for any number of readers and writers, with room for two readers at once.
// The writer looks and then enters in two steps, which is too late.

const MOST = 2;
const WRITING = 3;

shared 0..WRITING inside;            // readers inside, or WRITING

thread reader[*] {
    0..WRITING seen;
    while (true) {
        do { seen = inside; } while (seen >= MOST || !cas(inside, seen, seen + 1));
      reading:
        skip;
        fetch_sub(inside, 1);
    }
}

thread writer[*] {
    0..WRITING seen;
    while (true) {
        do { seen = inside; } while (seen != 0);
        inside = WRITING;
      writing:
        skip;
        exchange(inside, 0);
    }
}

forbid any at reading and any at writing;
forbid any at writing and any at writing;
