// Non-blocking writes, by Kopetz and Reisinger, of two messages: the first thread writes both, the second writes
// one and then reads the other. A message is valid when its version is even and the same before and after.
// The second thread's store can wait in its buffer while it reads the other message: robustness needs one fence,
// between its write and its read. What it reads is right all the same, under SC and TSO.

shared 0..2 left_version, right_version;
shared 0..1 left, right;

thread w {
    left_version = 1;
    left = 1;
    left_version = 2;
    right_version = 1;
    right = 1;
    right_version = 2;
}

thread wr {
    0..2 before, after;
    0..1 value;
    right = 0;
    before = left_version;
    value = left;
    after = left_version;
    assume(before == after && before != 1);
    assert(2 * value == before);
}
