// The first step of Dekker's algorithm: each thread raises its flag and enters if the other's is down.
shared bool flag[2];

process worker(0..1 me) {
    bool other;
    flag[me] = true;
    other = flag[1 - me];
    assume(!other);
  critical: skip;
}

start worker(0), worker(1);
at most 1 at critical;
