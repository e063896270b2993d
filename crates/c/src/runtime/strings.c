/* Strings, characters and numbers. */

static unsigned long strlen(const char *s)
{
    unsigned long n = 0;
    while (s[n] != 0)
        n++;
    return n;
}

static unsigned long strnlen(const char *s, unsigned long most)
{
    unsigned long n = 0;
    while (n < most && s[n] != 0)
        n++;
    return n;
}

static int strcmp(const char *a, const char *b)
{
    unsigned long i = 0;
    unsigned char x = (unsigned char)a[0], y = (unsigned char)b[0];
    while (x != 0 && x == y) {
        i++;
        x = (unsigned char)a[i];
        y = (unsigned char)b[i];
    }
    return x - y;
}

static int strncmp(const char *a, const char *b, unsigned long n)
{
    unsigned long i = 0;
    int result = 0;
    while (i < n && result == 0) {
        unsigned char x = (unsigned char)a[i], y = (unsigned char)b[i];
        result = x - y;
        i++;
        if (x == 0)
            break;
    }
    return result;
}

static char *strcpy(char *to, const char *from)
{
    unsigned long i = 0;
    char c = from[0];
    to[0] = c;
    while (c != 0) {
        i++;
        c = from[i];
        to[i] = c;
    }
    return to;
}

static char *stpcpy(char *to, const char *from)
{
    strcpy(to, from);
    return to + strlen(from);
}

static char *strncpy(char *to, const char *from, unsigned long n)
{
    unsigned long i = 0;
    while (i < n && from[i] != 0) {
        to[i] = from[i];
        i++;
    }
    while (i < n) {
        to[i] = 0;
        i++;
    }
    return to;
}

static char *strcat(char *to, const char *from)
{
    strcpy(to + strlen(to), from);
    return to;
}

static char *strncat(char *to, const char *from, unsigned long n)
{
    char *end = to + strlen(to);
    unsigned long i = 0;
    while (i < n && from[i] != 0) {
        end[i] = from[i];
        i++;
    }
    end[i] = 0;
    return to;
}

static char *strchr(const char *s, int c)
{
    unsigned long i = 0;
    char wanted = (char)c;
    char *found = 0;
    while (s[i] != wanted && s[i] != 0)
        i++;
    if (s[i] == wanted)
        found = (char *)s + i;
    return found;
}

static unsigned long strspn(const char *s, const char *accept)
{
    unsigned long i = 0;
    while (s[i] != 0 && strchr(accept, s[i]) != 0)
        i++;
    return i;
}

static unsigned long strcspn(const char *s, const char *reject)
{
    unsigned long i = 0;
    while (s[i] != 0 && strchr(reject, s[i]) == 0)
        i++;
    return i;
}

static char *strpbrk(const char *s, const char *accept)
{
    unsigned long i = strcspn(s, accept);
    char *found = 0;
    if (s[i] != 0)
        found = (char *)s + i;
    return found;
}

static char *strsep(char **at, const char *separators)
{
    char *token = *at;
    if (token != 0) {
        unsigned long i = strcspn(token, separators);
        if (token[i] != 0) {
            token[i] = 0;
            *at = token + i + 1;
        } else {
            *at = 0;
        }
    }
    return token;
}

static char *strchrnul(const char *s, int c)
{
    unsigned long i = 0;
    while (s[i] != 0 && s[i] != (char)c)
        i++;
    return (char *)s + i;
}

static char *index(const char *s, int c) { return strchr(s, c); }

/* All texts are of the locale `C`. */
static int strcoll(const char *a, const char *b) { return strcmp(a, b); }

static unsigned long strxfrm(char *to, const char *from, unsigned long n)
{
    unsigned long length = strlen(from), i = 0;
    while (i < n && i <= length) {
        to[i] = from[i];
        i++;
    }
    return length;
}

static char *__fencepost_token(char *s, const char *separators, char **rest)
{
    char *token = 0;
    char *at = s;
    if (at == 0)
        at = *rest;
    if (at != 0) {
        while (*at != 0 && strchr(separators, *at) != 0)
            at++;
        if (*at != 0) {
            token = at;
            while (*at != 0 && strchr(separators, *at) == 0)
                at++;
        }
        if (*at != 0) {
            *at = 0;
            at++;
        }
        *rest = at;
    }
    return token;
}

static char *strtok_r(char *s, const char *separators, char **rest)
{
    return __fencepost_token(s, separators, rest);
}

static char *__fencepost_rest;

static char *strtok(char *s, const char *separators)
{
    return __fencepost_token(s, separators, &__fencepost_rest);
}

static char *strrchr(const char *s, int c)
{
    unsigned long i = 0;
    char wanted = (char)c;
    char *found = 0;
    while (s[i] != 0) {
        if (s[i] == wanted)
            found = (char *)s + i;
        i++;
    }
    if (wanted == 0)
        found = (char *)s + i;
    return found;
}

static char *rindex(const char *s, int c) { return strrchr(s, c); }

static char *strstr(const char *s, const char *part)
{
    unsigned long i = 0, length = strlen(part);
    char *found = 0;
    while (found == 0) {
        if (strncmp(s + i, part, length) == 0)
            found = (char *)s + i;
        if (s[i] == 0)
            break;
        i++;
    }
    return found;
}

static char *strdup(const char *s)
{
    char *copy = (char *)malloc(strlen(s) + 1);
    return strcpy(copy, s);
}

static char *strndup(const char *s, unsigned long n)
{
    unsigned long length = strnlen(s, n), i = 0;
    char *copy = (char *)malloc(length + 1);
    while (i < length) {
        copy[i] = s[i];
        i++;
    }
    copy[length] = 0;
    return copy;
}

static int isdigit(int c) { return c >= '0' && c <= '9'; }
static int isupper(int c) { return c >= 'A' && c <= 'Z'; }
static int islower(int c) { return c >= 'a' && c <= 'z'; }
static int isalpha(int c) { return isupper(c) || islower(c); }
static int isalnum(int c) { return isalpha(c) || isdigit(c); }
static int isspace(int c) { return c == ' ' || c >= '\t' && c <= '\r'; }
static int toupper(int c) { return islower(c) ? c - 32 : c; }
static int tolower(int c) { return isupper(c) ? c + 32 : c; }

static int isxdigit(int c) { return isdigit(c) || c >= 'A' && c <= 'F' || c >= 'a' && c <= 'f'; }
static int isblank(int c) { return c == ' ' || c == '\t'; }
static int iscntrl(int c) { return c >= 0 && c < 32 || c == 127; }
static int isprint(int c) { return c >= 32 && c < 127; }
static int isgraph(int c) { return c > 32 && c < 127; }
static int isascii(int c) { return c >= 0 && c < 128; }
static int toascii(int c) { return c & 127; }
static int ispunct(int c) { return isgraph(c) && !isalnum(c); }

static int strncasecmp(const char *a, const char *b, unsigned long n)
{
    unsigned long i = 0;
    int result = 0;
    while (i < n && tolower((unsigned char)a[i]) == tolower((unsigned char)b[i]) && a[i] != 0)
        i++;
    if (i < n)
        result = tolower((unsigned char)a[i]) - tolower((unsigned char)b[i]);
    return result;
}

static int strcasecmp(const char *a, const char *b) { return strncasecmp(a, b, (unsigned long)-1); }

static int abs(int n) { return n < 0 ? -n : n; }
static long labs(long n) { return n < 0 ? -n : n; }
static long long llabs(long long n) { return n < 0 ? -n : n; }

static int __builtin_popcountll(unsigned long long n)
{
    int count = 0;
    while (count < 64 && n >> count != 0)
        count++;
    {
        int i = 0, ones = 0;
        while (i < count) {
            ones += (int)(n >> i & 1);
            i++;
        }
        count = ones;
    }
    return count;
}

static int __builtin_popcountl(unsigned long n) { return __builtin_popcountll(n); }
static int __builtin_popcount(unsigned n) { return __builtin_popcountll(n); }
static int __builtin_parityll(unsigned long long n) { return __builtin_popcountll(n) & 1; }
static int __builtin_parityl(unsigned long n) { return __builtin_popcountll(n) & 1; }
static int __builtin_parity(unsigned n) { return __builtin_popcountll(n) & 1; }

static int __builtin_ctzll(unsigned long long n)
{
    int i = 0;
    while (i < 63 && (n >> i & 1) == 0)
        i++;
    return i;
}

static int __builtin_ctzl(unsigned long n) { return __builtin_ctzll(n); }
static int __builtin_ctz(unsigned n) { return __builtin_ctzll(n); }

static int __builtin_clzll(unsigned long long n)
{
    int i = 0;
    while (i < 63 && (n >> (63 - i) & 1) == 0)
        i++;
    return i;
}

static int __builtin_clzl(unsigned long n) { return __builtin_clzll(n) - (64 - 8 * (int)sizeof(long)); }
static int __builtin_clz(unsigned n) { return __builtin_clzll(n) - 32; }

static int __builtin_ffsll(long long n) { return n == 0 ? 0 : __builtin_ctzll((unsigned long long)n) + 1; }
static int __builtin_ffsl(long n) { return n == 0 ? 0 : __builtin_ctzll((unsigned long long)n) + 1; }
static int __builtin_ffs(int n) { return n == 0 ? 0 : __builtin_ctzll((unsigned long long)n) + 1; }
static int ffs(int n) { return __builtin_ffs(n); }

static unsigned short __builtin_bswap16(unsigned short n)
{
    return (unsigned short)(n << 8 | n >> 8);
}

static unsigned __builtin_bswap32(unsigned n)
{
    return n << 24 | (n & 0xff00) << 8 | (n >> 8 & 0xff00) | n >> 24;
}

static unsigned long long __builtin_bswap64(unsigned long long n)
{
    return (unsigned long long)__builtin_bswap32((unsigned)n) << 32 | __builtin_bswap32((unsigned)(n >> 32));
}

/* Clocks: to each thread either hardly any time has passed since the beginning, or very much. */

static _Thread_local _Bool __fencepost_late;

static long __fencepost_now(void)
{
    if (!__fencepost_late)
        __fencepost_late = __VERIFIER_nondet_bool();
    return __fencepost_late ? 1073741824 : 0;
}

/* A member of `struct tm` by its place. Years begin in March, so that a leap day is the last day. */
static int __fencepost_date(long long time, int member)
{
    long long days = (time - (time % 86400 + 86400) % 86400) / 86400, rest = time - days * 86400;
    long long shifted = days + 719468, era = (shifted - (shifted % 146097 + 146097) % 146097) / 146097;
    long long day = shifted - era * 146097;
    long long year = (day - day / 1460 + day / 36524 - day / 146096) / 365;
    long long since_march = day - (365 * year + year / 4 - year / 100);
    long long month = (5 * since_march + 2) / 153, first = (153 * month + 2) / 5;
    long long full = year + era * 400 + (month >= 10);
    long long is_leap = full % 4 == 0 && (full % 100 != 0 || full % 400 == 0);
    long long result = 0;
    if (member == 0)
        result = rest % 60;
    else if (member == 1)
        result = rest / 60 % 60;
    else if (member == 2)
        result = rest / 3600;
    else if (member == 3)
        result = since_march - first + 1;
    else if (member == 4)
        result = (month + 2) % 12;
    else if (member == 5)
        result = full - 1900;
    else if (member == 6)
        result = ((days + 4) % 7 + 7) % 7;
    else if (member == 7)
        result = month >= 10 ? since_march - 306 : since_march + 59 + is_leap;
    return (int)result;
}

/* Files: opening one may fail, and what is written to it is gone. */

/* The command line has no options. */
char *optarg;
int optind = 1, opterr = 1, optopt;

/* Sets of processors. */
static void __fencepost_cpu_zero(unsigned long *set)
{
    unsigned long i = 0;
    while (i < 1024 / (8 * sizeof *set)) {
        set[i] = 0;
        i++;
    }
}

static void __fencepost_cpu_set(int cpu, unsigned long *set)
{
    set[cpu / (8 * sizeof *set)] |= 1UL << cpu % (8 * sizeof *set);
}

static void __fencepost_cpu_clear(int cpu, unsigned long *set)
{
    set[cpu / (8 * sizeof *set)] &= ~(1UL << cpu % (8 * sizeof *set));
}

static int __fencepost_cpu_isset(int cpu, const unsigned long *set)
{
    return (set[cpu / (8 * sizeof *set)] >> cpu % (8 * sizeof *set) & 1) != 0;
}

static int __fencepost_cpu_count(const unsigned long *set)
{
    unsigned long i = 0;
    int count = 0;
    while (i < 1024 / (8 * sizeof *set)) {
        count += __builtin_popcountl(set[i]);
        i++;
    }
    return count;
}

static char __fencepost_file;

static void *fopen(const char *name, const char *mode)
{
    void *file = 0;
    if (__VERIFIER_nondet_bool())
        file = &__fencepost_file;
    return file;
}

static char *fgets(char *to, int n, void *file)
{
    char *result = 0;
    if (n > 0 && __VERIFIER_nondet_bool()) {
        int i = 0;
        _Bool going = n > 1;
        while (going) {
            char c = __VERIFIER_nondet_char();
            to[i] = c;
            i++;
            going = i < n - 1 && c != '\n' && __VERIFIER_nondet_bool();
        }
        to[i] = 0;
        result = to;
    }
    return result;
}

static int feof(void *file)
{
    return __VERIFIER_nondet_bool();
}

static int ferror(void *file)
{
    return __VERIFIER_nondet_bool();
}
