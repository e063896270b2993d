// Peterson's algorithm, each thread entering once.
shared bool flag[2];
shared 0..1 turn;

process worker(0..1 me) {
    flag[me] = true;
    turn = 1 - me;
    while (flag[1 - me] && turn == 1 - me) {}
  critical: skip;
    flag[me] = false;
}

start worker(0), worker(1);
at most 1 at critical;
