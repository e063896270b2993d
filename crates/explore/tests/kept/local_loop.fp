// A loop of local steps must not put off the other threads for ever.
shared bool x;
thread t { bool r; while (true) { r = !r; } }
thread u { x = true; assert(!x); }
