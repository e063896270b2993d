void test(void)
{
    signed char sc = -1; unsigned char uc = sc; out(uc);
    unsigned short us = sc; out(us);
    unsigned int ui = sc; out(ui);
    unsigned long ul = sc; out(ul == -1ul);
    short s = uc; out(s);
    int i = us; out(i);
    long l = ui; out(l);
    l = (int)ui; out(l);
    long long ll = (signed char)0x80; out(ll);
    ll = (unsigned char)0x80; out(ll);
    ll = (short)0xffff8000; out(ll);
    ll = (int)0x123456789abcdef0; out(ll);
    ll = (unsigned)0x123456789abcdef0; out(ll);
    out((unsigned char)(signed char)-2);
    out((signed char)(unsigned char)254);
    out((int)(unsigned short)-3);
    out((unsigned long)(unsigned)-1);
    out((unsigned long)-1 == (unsigned long)(long)(int)-1);
    char c = (char)200; out(c); out(c < 0);
    c = '\xff'; out(c); out(c == 255); out(c == -1);
}
