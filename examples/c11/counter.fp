// A relaxed counter for statistics. Whoever reads it may see old values, but never too large ones: right on every machine.

shared 0..4 hits;

process worker() {
    0..4 old;
    old = fetch_add(hits@relaxed, 1);
    old = fetch_add(hits@relaxed, 1);
}

thread watcher {
    0..4 first, second;
    first = hits@relaxed;
    second = hits@relaxed;
    assert(first <= second);
}

start worker[2];
