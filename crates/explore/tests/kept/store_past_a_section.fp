// Entering a store into the buffer early must not bring it into another thread's section.
shared 0..2 x, y;
thread t { y = 1; x = 1; }
thread u { 0..2 r; 0..2 s; atomic nodrain { r = x; s = x; } assert(r == s); x = 2; }
final not exists (x == 1 && y == 0);
