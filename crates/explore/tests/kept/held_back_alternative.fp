// A choice between a store and nothing, reached with the buffer at its first bound: the store is
// held back, and doing nothing must not be taken for the only way on.
shared bool x;
shared bool y;
thread t[2] {
    y = true;
    y = false;
    choose { skip; } or { y = true; }
}
final not exists (y && !x);
