#include <string.h>
void test(void) { out(strlen("hello"));
    out(strlen(""));
    out(strcmp("a", "a"));
    out(strcmp("a", "b") < 0);
    out(strcmp("b", "a") > 0); char b[8]; strcpy(b, "xyz");
    out(b[2]);
    out(b[3]);
    out(strlen(b));
    out(strncmp("abc", "abd", 2));
    out(strchr("abc", 'c') != 0); }
