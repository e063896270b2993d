#include <stdio.h>
#include <stdlib.h>
#include <string.h>
void test(void)
{
    char text[32];
    out(sprintf(text, "%d-%s%c%%", -42, "ab", 'z')); out(strcmp(text, "-42-abz%"));
    out(snprintf(text, 4, "%u%x", 12u, 255)); out(strcmp(text, "12f"));
    out(snprintf(text, sizeof text, "%ld %lu", -9000000000L, 18446744073709551615UL)); out(strlen(text));
    out(strtol("  -17x", 0, 10)); out(strtol("0x1f", 0, 0)); out(strtoul("077", 0, 0)); out(strtoll("zz", 0, 36));
    char *end; out(strtol("12ab", &end, 10)); out(*end);
}
