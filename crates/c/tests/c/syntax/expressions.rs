//! Expressions.

use super::expressions;
use expect_test::expect;

#[test]
fn literals() {
    expressions(
        r#"
        0 + 00 + 017 + 42 + 0x1F + 0b101 + 0B11
        1u + 1l + 1ul + 1lu + 1LL + 1ull + 1LLU + 0xffffffffffffffffULL
        1.5 + .5e-3f + 0x1p-2 + 1e5L + 1.f + 0x.8p1 + 3.0f128 + 1e+5
        'a' + '\n' + '\'' + '\\' + '\0' + '\x7f' + '\xff' + '\377' + '\e' + '"'
        'ab' + 'abcd' + L'a' + u'\u00e9' + U'\U0001F600' + L'\xffffffff'
        "a" "b\tc" "\x41\102"
        L"wide" "too"
        u8"é" u8"\u00e9"
        U"x" + u"y"
        "no trigraphs: ??/" + "unknown \q"
        __func__ + __FUNCTION__ + __PRETTY_FUNCTION__
        "a # is not a directive" + 'x'
        "#,
        expect![[r#"
            (+ (+ (+ (+ (+ (+ 0 0) o15) 42) x31) b5) b3);
            (+ (+ (+ (+ (+ (+ (+ 1u 1l) 1ul) 1ul) 1ll) 1ull) 1ull) x18446744073709551615ull);
            (+ (+ (+ (+ (+ (+ (+ 1.5 .5e-3f) 0x1p-2) 1e5L) 1.f) 0x.8p1) 3.0f128) 1e+5);
            (+ (+ (+ (+ (+ (+ (+ (+ (+ '97' '10') '39') '92') '0') '127') '-1') '-1') '27') '34');
            (+ (+ (+ (+ (+ '24930' '1633837924') '97') '233') '128512') '-1');
            "ab\tcAB";
            L"widetoo";
            u8"éé";
            (+ U"x" u"y");
            (+ "no trigraphs: ??/" "unknown q");
            (+ (+ __func__ __func__) __func__);
            (+ "a # is not a directive" '120');
        "#]],
    );
}

#[test]
fn operators() {
    expressions(
        "
        a + b * c - d
        a << 1 + 2 < b == c & d ^ e | f && g || h
        a = b += c ? d : e = f
        a ? b, c : d ? e : f
        a ?: b
        a, b, c
        -a + +b - ~c * !d
        - -a
        &a, *p, &*p, **q
        ++a + a++ - --b - b--
        a.b->c[d](e, f)++
        f()(g())
        a *= b /= c %= d -= e <<= f >>= g &= h ^= i |= j
        a&&b&c
        a<:0:>
        (a)
        (a)(b)
        (a) - b
        __real__ z + __imag z
        __extension__ (a + b)
        ",
        expect![[r#"
            (- (+ a (* b c)) d);
            (|| (&& (| (^ (& (== (< (<< a (+ 1 2)) b) c) d) e) f) g) h);
            (= a (+= b (= (? c d e) f)));
            (? a (, b c) (? d e f));
            (? a - b);
            (, (, a b) c);
            (- (+ (minus a) (plus b)) (* (~ c) (! d)));
            (minus (minus a));
            (, (, (, (address a) (deref p)) (address (deref p))) (deref (deref q)));
            (- (- (+ (PreIncrement a) (PostIncrement a)) (PreDecrement b)) (PostDecrement b));
            (PostIncrement (call (index (-> (. a b) c) d) e f));
            (call (call f) (call g));
            (*= a (/= b (%= c (-= d (<<= e (>>= f (&= g (^= h (|= i j)))))))));
            (&& a (& b c));
            (index a 0);
            a;
            (call a b);
            (- a b);
            (+ (real z) (imag z));
            (+ a b);
        "#]],
    );
}

#[test]
fn types_in_expressions() {
    expressions(
        "
        (T)a + (T *)b
        (T)-a
        (int)(T)(a)
        (T){1, 2}.x
        &(T[]){1, [2] = 3}
        (T){}
        sizeof a + sizeof(T) + sizeof(a) + sizeof (T){0} + sizeof(a)[0]
        sizeof(T) * a
        sizeof -a
        sizeof (int (*)[3])
        _Alignof(T) + __alignof__(a) + __alignof a
        (void (*)(int, T))a
        (const volatile T *const *)a
        (unsigned long)a + (long unsigned int)b
        (struct s { int x; } *)a
        (__typeof__(a))b + (typeof(T *))c
        (_Atomic(int) *)p + (_Atomic T *)p
        (__int128)a + (unsigned __int128)b + (__int128_t)c + (__uint128_t)d
        (_Float128)a + (__float128)b + (_Complex double)c + (long double _Complex)d + (__complex__)e
        _Generic(a, int: b, T *: c, default: d)
        _Generic(T, int: b)
        __builtin_offsetof(T, a.b[2].c)
        __builtin_va_arg(a, T *)
        __builtin_types_compatible_p(T, int)
        __builtin_choose_expr(1, a, b)
        __builtin_va_start(a, b)
        ({ T x = 1; x; })
        &&label
        (__attribute__((aligned(4))) T)a
        ",
        expect![[r#"
            (+ (cast <T> a) (cast <* T> b));
            (cast <T> (minus a));
            (cast <int> (cast <T> a));
            (. (literal <T> {1, 2}) x);
            (address (literal <[] T> {1, [2]=3}));
            (literal <T> {});
            (+ (+ (+ (+ (sizeof a) (sizeof <T>)) (sizeof a)) (sizeof (literal <T> {0}))) (sizeof (index a 0)));
            (* (sizeof <T>) a);
            (sizeof (minus a));
            (sizeof <* [3] int>);
            (+ (+ (alignof <T>) (alignof a)) (alignof a));
            (cast <* fn(int, T) void> a);
            (cast <* *const const volatile T> a);
            (+ (cast <unsignedlong> a) (cast <unsignedlong> b));
            (cast <* struct s {x: int}> a);
            (+ (cast <typeof(a)> b) (cast <typeof(<* T>)> c));
            (+ (cast <* Atomic(int)> p) (cast <* atomic T> p));
            (+ (+ (+ (cast <int128> a) (cast <unsignedint128> b)) (cast <int128> c)) (cast <unsignedint128> d));
            (+ (+ (+ (+ (cast <floating(float128)> a) (cast <floating(float128)> b)) (cast <complex(double)> c)) (cast <complex(longdouble)> d)) (cast <complex(double)> e));
            (generic a (<int> b) (<* T> c) (default d));
            (generic <T> (<int> b));
            (offsetof <T> .a .b [2] .c);
            (va_arg a <* T>);
            (compatible <T> <int>);
            (choose 1 a b);
            (call __builtin_va_start a b);
            (statements { x: T = 1; x; });
            (label label);
            (cast <@aligned(4) T> a);
        "#]],
    );
}
