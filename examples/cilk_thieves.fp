// The THE protocol as in cilk.fp, with a worker and two thieves and without tasks: only the two ends of the queue.
// Robustness needs a fence in `pop` and one in each thief's `steal`: three in all. An end is loaded while the own
// one still waits in the buffer, and both sides think that they took the last task.

const TASKS = 1;

mutex guard;
shared 0..TASKS+2 head;
shared -1..TASKS tail;
shared 0..3 taken;

thread worker {
    bool got;
    tail = tail + 1;                // push
    tail = tail - 1;                // pop
    if (head > tail) {
        tail = tail + 1;
        lock(guard);
        tail = tail - 1;
        if (head > tail) {
            tail = tail + 1;
            got = false;
        } else {
            got = true;
        }
        unlock(guard);
    } else {
        got = true;
    }
    if (got) {
        atomic { taken = taken + 1; }
    }
}

process thief() {
    bool got;
    lock(guard);                    // steal
    head = head + 1;
    if (head > tail) {
        head = head - 1;
        got = false;
    } else {
        got = true;
    }
    unlock(guard);
    if (got) {
        atomic { taken = taken + 1; }
    }
}

start first = thief(), second = thief();

final forall (taken <= 1);
