#include <ctype.h>
#include <stdlib.h>
#include <string.h>
static int sign(int n) { return (n > 0) - (n < 0); }
void test(void)
{
    char buffer[16] = "abc";
    out(strlen(buffer)); out(strnlen(buffer, 2));
    out(sign(strcmp(buffer, "abc"))); out(sign(strcmp(buffer, "abd"))); out(sign(strcmp("abd", buffer)));
    out(sign(strcmp("a\xff", "a\x01"))); out(sign(strncmp("abx", "aby", 2)));
    strcat(buffer, "de"); out(strlen(buffer)); out(buffer[4]);
    strncat(buffer, "fgh", 1); out(buffer[5]); out(buffer[6]);
    out(strchr(buffer, 'd') - buffer); out(strchr(buffer, 'z') == NULL); out(strrchr("abab", 'b') != NULL);
    out(strstr(buffer, "cd") - buffer); out(strstr(buffer, "dc") == NULL);
    char copy[8]; strncpy(copy, "xy", 5); out(copy[1]); out(copy[4]);
    char *twin = strdup(buffer); out(strcmp(twin, buffer)); free(twin);
    out(atoi(" -42x")); out(atoi("17")); out(abs(-5)); out(labs(-6L));
    out(!!isdigit('7')); out(!!isalpha('7')); out(toupper('q')); out(tolower('Q')); out(!!isspace('\t'));
}
