// Interchangeable threads: sorting them has to rename the owner of the mutex along.
shared 0..2 x;
mutex m;
thread t[3] {
    0..2 r;
    lock(m);
    r = x;
    choose { x = 1; } or { skip; }
  inside:
    skip;
    unlock(m);
}
at most 1 at inside;
