/* Formatted output to memory, piece by piece: what is behind the end of the memory is counted only. */

static unsigned long __fencepost_put_text(char *to, unsigned long size, unsigned long at, const char *text)
{
    unsigned long i = 0;
    while (text[i] != 0) {
        if (at + i + 1 < size)
            to[at + i] = text[i];
        i++;
    }
    return at + i;
}

static unsigned long __fencepost_put_character(char *to, unsigned long size, unsigned long at, int c)
{
    if (at + 1 < size)
        to[at] = (char)c;
    return at + 1;
}

/* The digits of a number, those from ten on from `ten` on. */
static unsigned long __fencepost_put_digits(char *to, unsigned long size, unsigned long at,
                                            unsigned long long value, unsigned long long base, char ten)
{
    unsigned long long weight = 1;
    unsigned long place = at;
    while (value / weight >= base)
        weight *= base;
    while (weight > 0) {
        int digit = (int)(value / weight % base);
        place = __fencepost_put_character(to, size, place, digit < 10 ? '0' + digit : ten + digit - 10);
        weight /= base;
    }
    return place;
}

static unsigned long __fencepost_put_number(char *to, unsigned long size, unsigned long at,
                                            unsigned long long value, unsigned long long base, _Bool negative)
{
    unsigned long place = at;
    if (negative)
        place = __fencepost_put_character(to, size, place, '-');
    return __fencepost_put_digits(to, size, place, negative ? 0 - value : value, base, 'a');
}

static int __fencepost_put_end(char *to, unsigned long size, unsigned long at)
{
    if (size > 0)
        to[at < size ? at : size - 1] = 0;
    return (int)at;
}

static unsigned long __fencepost_put_padding(char *to, unsigned long size, unsigned long at, unsigned long n, char c)
{
    unsigned long i = 0;
    while (i < n) {
        if (at + i + 1 < size)
            to[at + i] = c;
        i++;
    }
    return at + i;
}

/* An argument as the integer that a length says: -2 for `hh`, -1 for `h`, 1 for `l`, 2 for `ll`. */
static long long __fencepost_signed_argument(unsigned long long word, int rank)
{
    return rank <= -2 ? (signed char)word
         : rank == -1 ? (short)word
         : rank == 0  ? (int)word
         : rank == 1  ? (long)word
                      : (long long)word;
}

static unsigned long long __fencepost_unsigned_argument(unsigned long long word, int rank)
{
    return rank <= -2 ? (unsigned char)word
         : rank == -1 ? (unsigned short)word
         : rank == 0  ? (unsigned)word
         : rank == 1  ? (unsigned long)word
                      : word;
}

/* How many digits a number has. */
static unsigned long __fencepost_digits(unsigned long long value, unsigned long long base)
{
    unsigned long long rest = value;
    unsigned long digits = 1;
    while (rest >= base) {
        rest /= base;
        digits++;
    }
    return digits;
}

/* A format that only the run knows, with the arguments of a `va_list`. What else a format can say (floating point, addresses
   that are not null) looks at part of an argument, which memory refuses: the answer is unknown then. */
static int vsnprintf(char *to, unsigned long size, const char *format, unsigned long long *list)
{
    unsigned long at = 0, i = 0;
    unsigned long long *next = list;
    while (format[i] != 0) {
        char c = format[i];
        i++;
        if (c != '%') {
            at = __fencepost_put_character(to, size, at, c);
        } else {
            _Bool to_the_left = 0, with_zeros = 0, is_marked = 0, is_exact = 0, is_number = 0;
            char sign = 0;
            const char *text = 0;
            int rank = 0;
            unsigned long long value = 0, base = 10;
            unsigned long width = 0, precision = 0, digits = 0, shown = 0, before = 0, length = 1;
            c = format[i];
            while (c == '-' || c == '0' || c == '+' || c == ' ' || c == '#') {
                to_the_left |= c == '-';
                with_zeros |= c == '0';
                is_marked |= c == '#';
                if (c == '+' || c == ' ' && sign == 0)
                    sign = c;
                i++;
                c = format[i];
            }
            if (c == '*') {
                int given = (int)*next;
                next++;
                to_the_left |= given < 0;
                width = (unsigned long)(given < 0 ? -(long)given : (long)given);
                i++;
                c = format[i];
            }
            while (c >= '0' && c <= '9') {
                width = width * 10 + (unsigned long)(c - '0');
                i++;
                c = format[i];
            }
            if (c == '.') {
                is_exact = 1;
                i++;
                c = format[i];
                if (c == '*') {
                    int given = (int)*next;
                    next++;
                    is_exact = given >= 0;
                    precision = given >= 0 ? (unsigned long)given : 0;
                    i++;
                    c = format[i];
                }
                while (c >= '0' && c <= '9') {
                    precision = precision * 10 + (unsigned long)(c - '0');
                    i++;
                    c = format[i];
                }
            }
            while (c == 'l' || c == 'h' || c == 'z' || c == 'j' || c == 't') {
                rank = c == 'h' ? rank - 1 : c == 'l' ? rank + 1 : c == 'j' ? 2 : 1;
                i++;
                c = format[i];
            }
            i++;
            if (c == 'd' || c == 'i') {
                long long number = __fencepost_signed_argument(*next, rank);
                if (number < 0)
                    sign = '-';
                value = number < 0 ? 0 - (unsigned long long)number : (unsigned long long)number;
                is_number = 1;
                is_marked = 0;
            } else if (c == 'u' || c == 'x' || c == 'X' || c == 'o') {
                value = __fencepost_unsigned_argument(*next, rank);
                base = c == 'u' ? 10 : c == 'o' ? 8 : 16;
                is_number = 1;
                sign = 0;
            } else if (c == 's') {
                text = *(char **)next;
                length = 0;
                while ((!is_exact || length < precision) && text[length] != 0)
                    length++;
            } else if (c == 'p' && *(char **)next == 0) {
                text = "(nil)";
                length = 5;
            } else if (c != 'c' && c != '%') {
                length = *(unsigned char *)&__fencepost_whole;
            }
            if (is_number) {
                digits = value == 0 && is_exact && precision == 0 ? 0 : __fencepost_digits(value, base);
                shown = digits < precision ? precision : digits;
                if (is_marked && base == 8 && shown == digits && (value != 0 || digits == 0))
                    shown = digits + 1;
                before = (sign != 0) + (is_marked && base == 16 && value != 0 ? 2ul : 0ul);
                if (with_zeros && !to_the_left && !is_exact && before + shown < width)
                    shown = width - before;
                length = before + shown;
            }
            if (length < width && !to_the_left)
                at = __fencepost_put_padding(to, size, at, width - length, ' ');
            if (is_number) {
                if (sign != 0)
                    at = __fencepost_put_character(to, size, at, sign);
                if (is_marked && base == 16 && value != 0) {
                    at = __fencepost_put_character(to, size, at, '0');
                    at = __fencepost_put_character(to, size, at, c);
                }
                at = __fencepost_put_padding(to, size, at, shown - digits, '0');
                if (digits > 0)
                    at = __fencepost_put_digits(to, size, at, value, base, c == 'X' ? 'A' : 'a');
            } else if (text != 0) {
                unsigned long j = 0;
                while (j < length) {
                    at = __fencepost_put_character(to, size, at, text[j]);
                    j++;
                }
            } else {
                at = __fencepost_put_character(to, size, at, c == '%' ? '%' : (int)*next);
            }
            if (length < width && to_the_left)
                at = __fencepost_put_padding(to, size, at, width - length, ' ');
            if (c != '%')
                next++;
        }
    }
    return __fencepost_put_end(to, size, at);
}

static int vsprintf(char *to, const char *format, unsigned long long *list)
{
    return vsnprintf(to, 9223372036854775807ul, format, list);
}

/* A date as text. What else a format can say is not modelled. */
static unsigned long __fencepost_date_text(char *to, unsigned long size, const char *format, int second, int minute,
                                           int hour, int day, int month, int year, int weekday, int yearday)
{
    unsigned long at = 0, i = 0;
    while (format[i] != 0) {
        const char *part = "";
        char whole = format[i], c = 0;
        unsigned long j = 0;
        _Bool marked = 0;
        i++;
        if (whole != '%') {
            at = __fencepost_put_character(to, size, at, whole);
        } else {
            whole = format[i];
            i++;
            part = whole == 'F'                 ? "Y-m-d"
                 : whole == 'T' || whole == 'X' ? "H:M:S"
                 : whole == 'D' || whole == 'x' ? "m/d/y"
                 : whole == 'R'                 ? "H:M"
                 : whole == 'c'                 ? "a b e H:M:S Y"
                                                : "";
            marked = part[0] == 0;
        }
        while (marked || part[j] != 0) {
            int value = -1;
            unsigned long width = 2;
            c = marked ? whole : part[j];
            marked = 0;
            j += part[j] != 0;
            if (c == 'Y') {
                value = year + 1900;
                width = 1;
            } else if (c == 'm') {
                value = month + 1;
            } else if (c == 'd' || c == 'e') {
                value = day;
            } else if (c == 'H') {
                value = hour;
            } else if (c == 'I') {
                value = (hour + 11) % 12 + 1;
            } else if (c == 'M') {
                value = minute;
            } else if (c == 'S') {
                value = second;
            } else if (c == 'y') {
                value = (year % 100 + 100) % 100;
            } else if (c == 'j') {
                value = yearday + 1;
                width = 3;
            } else if (c == 'u' || c == 'w') {
                value = c == 'u' && weekday == 0 ? 7 : weekday;
                width = 1;
            }
            if (value >= 0) {
                unsigned long digits = __fencepost_digits((unsigned long long)value, 10);
                if (digits < width)
                    at = __fencepost_put_padding(to, size, at, width - digits, c == 'e' ? ' ' : '0');
                at = __fencepost_put_digits(to, size, at, (unsigned long long)value, 10, 'a');
            } else if (c == 'a' || c == 'b' || c == 'h' || c == 'p') {
                const char *names = c == 'a' ? "SunMonTueWedThuFriSat"
                                  : c == 'p' ? "AMPM"
                                             : "JanFebMarAprMayJunJulAugSepOctNovDec";
                unsigned long length = c == 'p' ? 2 : 3, k = 0;
                unsigned long first = length * (unsigned long)(c == 'a' ? weekday : c == 'p' ? hour / 12 : month);
                while (k < length) {
                    at = __fencepost_put_character(to, size, at, names[first + k]);
                    k++;
                }
            } else if (c == 'n' || c == 't' || c == '%' || part[0] != 0) {
                at = __fencepost_put_character(to, size, at, c == 'n' ? '\n' : c == 't' ? '\t' : c);
            } else {
                *(char *)&__fencepost_whole = 0;
            }
        }
    }
    if (size > 0)
        to[at < size ? at : size - 1] = 0;
    return at < size ? at : 0;
}
