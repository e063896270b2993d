// The THE protocol of Cilk's work-stealing queue: the worker pushes and pops at the tail, the
// thief steals at the head, and only on a conflict does the worker take the mutex. Each task
// must be run once.
// Right under SC. Under TSO and PSO both can take the last task: each loads the other's end
// while its own still waits in its buffer. Under PSO, besides, the tail can overtake a task.

const TASKS = 2;
const NONE = -1;

mutex guard;
shared 0..TASKS+1 head;
shared -1..TASKS tail;
shared NONE..TASKS-1 queue[TASKS] = NONE;
shared bool done[TASKS];

void push(0..TASKS-1 task) {
    queue[tail] = task;
    tail++;
}

NONE..TASKS-1 pop() {
    tail--;
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
