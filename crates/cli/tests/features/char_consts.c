void test(void)
{
    out('a');
    out('\n');
    out('\t');
    out('\0');
    out('\\');
    out('\'');
    out('"');
    out('\"');
    out('\a');
    out('\b');
    out('\f');
    out('\r');
    out('\v');
    out('\?');
    out('\x41'); out('\101'); out('\7'); out('\377'); out('\xff'); out('\x7f'); out('\200');
    out('ab'); out(L'a'); out(u'z'); out(U'\x12345678'); out(sizeof('a')); out(sizeof(L'a'));
    out('a' + 1 == 'b'); out('9' - '0'); out('z' - 'a'); out('\e');
    char c = 'x'; switch (c) { case 'x': out(1); break; case 'y': out(2); }
    out("abc"[1]); out(*"q"); out(2["xyz"]);
}
