static int digit(char c) { return c >= '0' && c <= '9' ? c - '0' : -1; } static char upper(char c) { return c >= 'a' && c <= 'z' ? c - 'a' + 'A' : c; } static int atoi_(const char *s) { int n = 0, neg = 0; if (*s == '-') neg = 1, s++; while (*s >= '0' && *s <= '9') n = n * 10 + (*s++ - '0'); return neg ? -n : n; } static unsigned hash(const char *s) { unsigned h = 5381; for (; *s; ++s) h = (h << 5) + h + *s; return h; } static int rev(char *b, int n) { int i = 0; do b[i++] = n % 10 + '0'; while (n /= 10); b[i] = 0; return i; }
void test(void) { out(digit('7'));
    out(digit('x'));
    out(upper('q'));
    out(upper('!'));
    out(atoi_("1234"));
    out(atoi_("-56"));
    out(hash("hello world")); char b[12];
    out(rev(b, 907));
    out(b[0]);
    out(b[2]); char c = 'z'; c += 1;
    out(c); c = 127; c += 1;
    out(c); c = c * 2;
    out(c); unsigned char u = 'a'; u -= 'b';
    out(u);
    out('a' * 'b');
    out((char)('a' << 1)); c = -1;
    out(c == (char)0xff);
    out((unsigned char)c == 0xff);
    out(c >> 1);
    out((unsigned char)c >> 1);
    out(hash("\xff\x80")); signed char sc = 'a' + 100;
    out(sc); }
