void test(void)
{
    int i = -1; unsigned u = 1; long l = -1; unsigned long ul = 1; short s = -1; unsigned short us = 1; char c = -1;
    out(i < u); out(i > u); out(l < u); out(l < ul); out(s < us); out(c < u); out(i < us);
    out(i + u); out(i * u); out((long)(i * u)); out(l * u); out(l + ul);
    out(i / 2u); out(-7 / 2u); out(-7 % 3u); out(-7l % 3u); out(-7l / 3u); out((-7l % 3ul));
    out(sizeof(i + u)); out(sizeof(i + l)); out(sizeof(u + l)); out(sizeof(c + s));
    out((i == 4294967295u)); out(l == 4294967295u); out(l == 18446744073709551615ull);
    out(1 ? -1 : 1u); out((1 ? i : u) > 0); out((0 ? u : s) > 0); out((1 ? s : us) < 0);
    out((i & u) + (i | u)); out((i ^ ul) == -2ul); out(-1 == (unsigned char)-1); out((-1 & 0xffu));
}
