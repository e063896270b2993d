// Write-to-read causality, the litmus test WRC: t2 sees the store of t1 and then stores y;
// t3 sees y, but not the store of t1.
// Safe under SC, TSO and PSO: a store that one other thread sees is in memory, and so all
// threads see it. Machines without that property, such as POWER, show the outcome.

shared int x, y;

thread t1 {
    x = 1;
}

thread t2 {
    int r = x;
    y = 1;
}

thread t3 {
    int r = y;
    int s = x;
}

final not exists (t2.r == 1 && t3.r == 1 && t3.s == 0);
