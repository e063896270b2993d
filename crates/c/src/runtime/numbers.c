/* Numbers and words in texts: `strtol` and its like, and the pieces of `sscanf`. */

static unsigned long __fencepost_skip_space(const char *text, unsigned long from)
{
    unsigned long i = from;
    while (text[i] == ' ' || (text[i] >= '\t' && text[i] <= '\r'))
        i++;
    return i;
}

/* What a character is worth as a digit, more than any base if it is none. */
static unsigned long __fencepost_digit(unsigned char c)
{
    unsigned long digit = 99;
    if (c >= '0' && c <= '9')
        digit = c - '0';
    else if (c >= 'a' && c <= 'z')
        digit = c - 'a' + 10;
    else if (c >= 'A' && c <= 'Z')
        digit = c - 'A' + 10;
    return digit;
}

/* The base of a number that begins there, behind its sign, and 256 more if `0x` stands before its digits. */
static unsigned long __fencepost_base(const char *text, unsigned long from, unsigned long last, unsigned long base)
{
    unsigned long found = base;
    _Bool zero = from < last && text[from] == '0';
    _Bool prefix = 0;
    if (zero && (base == 0 || base == 16) && from + 2 < last && (text[from + 1] == 'x' || text[from + 1] == 'X'))
        prefix = __fencepost_digit((unsigned char)text[from + 2]) < 16;
    if (prefix)
        found = 256 + 16;
    else if (base == 0)
        found = zero ? 8 : 10;
    return found;
}

/* Where the number ends that begins there, in a text of so many characters at most; there if it is none. */
static unsigned long __fencepost_number_end(const char *text, unsigned long from, unsigned long width,
                                            unsigned long base)
{
    unsigned long i = from, end = from, last = from + width, found;
    _Bool going = 1;
    if (i < last && (text[i] == '-' || text[i] == '+'))
        i++;
    found = __fencepost_base(text, i, last, base);
    if (found > 255)
        i += 2;
    while (going) {
        going = 0;
        if (i < last && __fencepost_digit((unsigned char)text[i]) < (found & 255)) {
            i++;
            end = i;
            going = 1;
        }
    }
    return end;
}

/* The number that stands there. More than `most`, or less than minus `least`, is that and an error; numbers without sign
   have a `least` of 0, and wrap. */
static unsigned long long __fencepost_number_value(const char *text, unsigned long from, unsigned long end,
                                                   unsigned long base, unsigned long long most,
                                                   unsigned long long least)
{
    unsigned long i = from, found;
    unsigned long long value = 0, limit = most;
    _Bool negative = 0, over = 0;
    if (i < end && (text[i] == '-' || text[i] == '+')) {
        negative = text[i] == '-';
        i++;
    }
    if (negative && least != 0)
        limit = least;
    found = __fencepost_base(text, i, end, base);
    if (found > 255)
        i += 2;
    while (i < end) {
        unsigned long long digit = __fencepost_digit((unsigned char)text[i]);
        if (digit < (found & 255)) {
            if (value > (limit - digit) / (found & 255))
                over = 1;
            else
                value = value * (found & 255) + digit;
        }
        i++;
    }
    if (over) {
        __fencepost_errno = __FENCEPOST_ERANGE;
        value = limit;
        if (least == 0)
            negative = 0;
    }
    return negative ? 0 - value : value;
}

static unsigned long long __fencepost_number(const char *text, char **end, int base, unsigned long long most,
                                             unsigned long long least)
{
    unsigned long long value = 0;
    if (base < 0 || base == 1 || base > 36) {
        __fencepost_errno = __FENCEPOST_EINVAL;
    } else {
        unsigned long from = __fencepost_skip_space(text, 0);
        unsigned long to = __fencepost_number_end(text, from, 1073741824, base);
        if (end != 0)
            *end = (char *)(text + (to > from ? to : 0));
        value = __fencepost_number_value(text, from, to, base, most, least);
    }
    return value;
}

static long strtol(const char *text, char **end, int base)
{
    return (long)__fencepost_number(text, end, base, ~0ul >> 1, (~0ul >> 1) + 1);
}

static long long strtoll(const char *text, char **end, int base)
{
    return (long long)__fencepost_number(text, end, base, ~0ull >> 1, (~0ull >> 1) + 1);
}

static unsigned long strtoul(const char *text, char **end, int base)
{
    return (unsigned long)__fencepost_number(text, end, base, ~0ul, 0);
}

static unsigned long long strtoull(const char *text, char **end, int base)
{
    return __fencepost_number(text, end, base, ~0ull, 0);
}

static long long strtoimax(const char *text, char **end, int base) { return strtoll(text, end, base); }
static unsigned long long strtoumax(const char *text, char **end, int base) { return strtoull(text, end, base); }
static int atoi(const char *text) { return (int)strtol(text, 0, 10); }
static long atol(const char *text) { return strtol(text, 0, 10); }
static long long atoll(const char *text) { return strtoll(text, 0, 10); }

/* The pieces of formats: each gives where it ends, or where it begins if what stands there does not fit. */

static unsigned long __fencepost_scan_text(const char *text, unsigned long at, int c)
{
    return text[at] == (char)c ? at + 1 : at;
}

static unsigned long __fencepost_scan_any(const char *text, unsigned long at)
{
    return text[at] != 0 ? at + 1 : at;
}

/* A number; `0x` without digits is the number 0, and read as a whole. */
static unsigned long __fencepost_scan_number(const char *text, unsigned long from, unsigned long width,
                                             unsigned long base)
{
    unsigned long end = __fencepost_number_end(text, from, width, base);
    unsigned long first = text[from] == '-' || text[from] == '+' ? from + 1 : from;
    if (end == first + 1 && text[first] == '0' && (base == 0 || base == 16) && end < from + width
        && (text[end] == 'x' || text[end] == 'X'))
        end++;
    return end;
}

static unsigned long __fencepost_scan_word(const char *text, unsigned long at, unsigned long width)
{
    unsigned long i = at;
    while (i < at + width && text[i] != 0 && text[i] != ' ' && !(text[i] >= '\t' && text[i] <= '\r'))
        i++;
    return i;
}

/* As many characters as there are, up to `n`. */
static unsigned long __fencepost_scan_many(const char *text, unsigned long at, unsigned long n)
{
    unsigned long i = at;
    while (i < at + n && text[i] != 0)
        i++;
    return i;
}

/* Characters of a set, which has a bit for each. */
static unsigned long __fencepost_scan_set(const char *text, unsigned long at, unsigned long width,
                                          unsigned long long a, unsigned long long b, unsigned long long c,
                                          unsigned long long d)
{
    unsigned long i = at;
    _Bool going = 1;
    while (going) {
        unsigned char next = i < at + width ? (unsigned char)text[i] : 0;
        unsigned long long word = next < 64 ? a : next < 128 ? b : next < 192 ? c : d;
        going = next != 0 && (word >> (next & 63) & 1) == 1;
        if (going)
            i++;
    }
    return i;
}

static int __fencepost_scan_character(const char *text, unsigned long at)
{
    return text[at];
}

static int __fencepost_scan_copy(char *to, const char *text, unsigned long from, unsigned long end)
{
    unsigned long i = from;
    while (i < end) {
        to[i - from] = text[i];
        i++;
    }
    to[end - from] = 0;
    return 0;
}

static int __fencepost_scan_characters(char *to, const char *text, unsigned long from, unsigned long end)
{
    unsigned long i = from;
    while (i < end) {
        to[i - from] = text[i];
        i++;
    }
    return 0;
}

/* What is given back where nothing could be read: whether it is for want of text. */
static int __fencepost_scan_nothing(const char *text, unsigned long at)
{
    return text[at] == 0 ? -1 : 0;
}
