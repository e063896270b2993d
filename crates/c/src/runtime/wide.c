/* Numbers of 128 bits, divided word by word. */

/* The next 32 bits of a quotient: a number of 96 bits, whose last 32 are `next`, divided by a word whose top bit is set and
   which is more than the other 64. The first guess is at most two too large (Knuth, algorithm D). */
static unsigned long long __fencepost_quotient_digit(unsigned long long rest, unsigned long long next,
                                                     unsigned long long by)
{
    unsigned long long upper = by >> 32, lower = by & 0xffffffff;
    unsigned long long digit = rest / upper;
    unsigned long long left = rest - digit * upper;
    if (digit >> 32 || digit * lower > (left << 32 | next)) {
        digit--;
        left += upper;
        if (!(left >> 32) && (digit >> 32 || digit * lower > (left << 32 | next)))
            digit--;
    }
    return digit;
}

/* How far a number other than 0 can be moved up. */
static unsigned long long __fencepost_spare_bits(unsigned long long number)
{
    unsigned long long bits = 0;
    if (!(number >> 32))
        bits = 32;
    if (!(number << bits >> 48))
        bits += 16;
    if (!(number << bits >> 56))
        bits += 8;
    if (!(number << bits >> 60))
        bits += 4;
    if (!(number << bits >> 62))
        bits += 2;
    if (!(number << bits >> 63))
        bits += 1;
    return bits;
}

/* n / d, by one division of two words by one. A divisor of one word is divided by as in school, first the upper word. Of a
   divisor of two words the upper 64 bits tell the quotient up to one (Hacker's Delight, 9-5). */
static unsigned __int128 __fencepost_quotient(unsigned long long n1, unsigned long long n0, unsigned long long d1,
                                              unsigned long long d0)
{
    unsigned long long first = d1 ? d1 : d0;
    /* This is where a division by 0 is found. */
    unsigned long long upper = n1 / first;
    unsigned long long bits = __fencepost_spare_bits(first);
    unsigned long long by = first << bits;
    unsigned long long high = n1 >> 1, low = n1 << 63 | n0 >> 1;
    if (d1) {
        by |= d0 >> 1 >> (63 - bits);
    } else {
        high = (n1 - upper * d0) << bits | n0 >> 1 >> (63 - bits);
        low = n0 << bits;
    }
    unsigned long long one = __fencepost_quotient_digit(high, low >> 32, by);
    unsigned long long rest = (high << 32 | low >> 32) - one * by;
    unsigned long long quotient = one << 32 | __fencepost_quotient_digit(rest, low & 0xffffffff, by);
    if (d1) {
        unsigned __int128 n = (unsigned __int128)n1 << 64 | n0, d = (unsigned __int128)d1 << 64 | d0;
        upper = 0;
        quotient >>= 63 - bits;
        if (quotient)
            quotient--;
        if (n - quotient * d >= d)
            quotient++;
    }
    return (unsigned __int128)upper << 64 | quotient;
}

/* n % d */
static unsigned __int128 __fencepost_remainder(unsigned long long n1, unsigned long long n0, unsigned long long d1,
                                               unsigned long long d0)
{
    unsigned __int128 n = (unsigned __int128)n1 << 64 | n0, d = (unsigned __int128)d1 << 64 | d0;
    return n - __fencepost_quotient(n1, n0, d1, d0) * d;
}

/* The same with signs: quotients are cut towards 0, and a remainder has the sign of what is divided. */
static __int128 __fencepost_signed_quotient(unsigned long long n1, unsigned long long n0, unsigned long long d1,
                                            unsigned long long d0)
{
    unsigned __int128 n = (unsigned __int128)n1 << 64 | n0, d = (unsigned __int128)d1 << 64 | d0;
    if (n1 >> 63)
        n = -n;
    if (d1 >> 63)
        d = -d;
    __int128 quotient = __fencepost_quotient(n >> 64, n, d >> 64, d);
    if ((n1 ^ d1) >> 63)
        quotient = -quotient;
    return quotient;
}

static __int128 __fencepost_signed_remainder(unsigned long long n1, unsigned long long n0, unsigned long long d1,
                                             unsigned long long d0)
{
    __int128 n = (__int128)n1 << 64 | n0, d = (__int128)d1 << 64 | d0;
    return n - __fencepost_signed_quotient(n1, n0, d1, d0) * d;
}
