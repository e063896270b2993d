// Store buffering between any number of threads of two kinds: each raises its flag, and goes
// on only if it sees nobody of the other kind. Can there be one of each at once? Not under SC; under TSO and PSO yes.

shared 0..1 left_in, right_in;

thread left[*] {
    0..1 seen;
    left_in = 1;
    seen = right_in;
    assume(seen == 0);
  left_alone: skip;
}

thread right[*] {
    0..1 seen;
    right_in = 1;
    seen = left_in;
    assume(seen == 0);
  right_alone: skip;
}

forbid any at left_alone and any at right_alone;
