// The THE work-stealing queue of Cilk, as in cilk.fp, safe under SC, TSO and PSO.
// Worker and thief each store to their end of the queue and then load the other's: two full
// fences. PSO needs the store-store fence too, so that a task is there before the tail says so.

const TASKS = 2;
const NONE = -1;

mutex guard;
shared 0..TASKS+1 head;
shared -1..TASKS tail;
shared NONE..TASKS-1 queue[TASKS] = NONE;
shared bool done[TASKS];

void push(0..TASKS-1 task) {
    queue[tail] = task;
    fence store_store;
    tail++;
}

NONE..TASKS-1 pop() {
    tail--;
    fence;
    if (head > tail) {
        tail++;
        lock(guard);
        tail--;
        if (head > tail) {
            tail++;
            unlock(guard);
            return NONE;
        }
        unlock(guard);
    }
    return queue[tail];
}

NONE..TASKS-1 steal() {
    lock(guard);
    head++;
    fence;
    if (head > tail) {
        head--;
        unlock(guard);
        return NONE;
    }
    unlock(guard);
    assert(queue[head - 1] != NONE);
    return queue[head - 1];
}

void run(0..TASKS-1 task) {
    assert(!exchange(done[task], true));
}

thread worker {
    0..TASKS pushed = 0;
    while (pushed < TASKS) {
        push(pushed);
        pushed++;
    }
    NONE..TASKS-1 task = pop();
    while (task != NONE) {
        run(task);
        task = pop();
    }
}

thread thief {
    0..TASKS attempts = 0;
    while (attempts < TASKS) {
        attempts++;
        NONE..TASKS-1 task = steal();
        if (task != NONE) {
            run(task);
        }
    }
}

final forall (done[0] && done[1]);
