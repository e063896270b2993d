//! What is said of broken programs.

use super::parse;
use super::said;
use expect_test::{Expect, expect};
use fencepost_c::Options;

/// Each line is a unit that is refused.
#[track_caller]
fn refused(lines: &str, expected: Expect) {
    let mut out = String::new();
    for line in lines.lines().map(str::trim).filter(|line| !line.is_empty()) {
        match parse("unit.i", line, &Options::default()) {
            Ok((unit, _)) => panic!("accepted: {line}\n{:?}", unit.items),
            Err((_, diagnostics)) => out += &format!("{line}\n    {}\n", said(&diagnostics[0])),
        }
    }
    expected.assert_eq(&out);
}

#[test]
fn literals() {
    refused(
        r#"
        int x = 08;
        int x = 0xg;
        int x = 1lul;
        int x = 1lL;
        int x = 0x;
        int x = 1.2.3;
        int x = 0x1.8;
        int x = 1e;
        int x = 99999999999999999999;
        int x = 2i;
        int x = '';
        int x = L'ab';
        int x = 'a
        char *s = "a
        char *s = "\xfff";
        char *s = "\u12";
        char *s = L"a" U"b";
        int x = 1; /* no end
        int x = a # b;
        int x = @;
        int x = 1 \ 2;
        "#,
        expect![[r#"
            int x = 08;
                1:9: `08` is not a number
            int x = 0xg;
                1:9: `0xg` is not a number
            int x = 1lul;
                1:9: `1lul` is not a number
            int x = 1lL;
                1:9: `1lL` is not a number
            int x = 0x;
                1:9: `0x` is not a number
            int x = 1.2.3;
                1:9: `1.2.3` is not a number
            int x = 0x1.8;
                1:9: `0x1.8` is not a number
            int x = 1e;
                1:9: `1e` is not a number
            int x = 99999999999999999999;
                1:9: `99999999999999999999` does not fit into 64 bits
            int x = 2i;
                1:9: `2i` is imaginary, which is not supported
            int x = '';
                1:9: a character constant needs a character
            int x = L'ab';
                1:9: L'ab' holds more than one character
            int x = 'a
                1:9: this character constant has no end (help: close it with `'`)
            char *s = "a
                1:11: this string has no end (help: close it with `"`)
            char *s = "\xfff";
                1:11: the escape `\x` gives too large a character
            char *s = "\u12";
                1:11: `\u12` is not a character
            char *s = L"a" U"b";
                1:11: strings with different prefixes cannot be put together
            int x = 1; /* no end
                1:12: this comment has no end (help: close it with `*/`)
            int x = a # b;
                1:11: stray `#` (help: a directive begins its line, and macros are expanded before the text is parsed)
            int x = @;
                1:9: the character `@` has no meaning here
            int x = 1 \ 2;
                1:11: the character `\\` has no meaning here
        "#]],
    );
}

#[test]
fn statements() {
    refused(
        "
        int f(void) { return 1 }
        int f(void) { if x; }
        int f(void) { foo_t x; }
        int f(void) { else x; }
        int f(void) { while (1) int x; }
        int f(void) {
        int f(void) { do x; while (1) }
        int f(void) { int g(void) { return 1; } }
        int f(void) { int g() { } }
        int f(void) { case: }
        int f(void) { goto 3; }
        int f(void) { asm(x); }
        int f(void) { x; __label__ a; }
        int f(void) { } }
        ",
        expect![[r#"
            int f(void) { return 1 }
                1:24: expected `;`, found `}`
            int f(void) { if x; }
                1:18: expected `(`, found `x`
            int f(void) { foo_t x; }
                1:15: `foo_t` is not known as a type (help: declare it with `typedef`, or include the header that does)
            int f(void) { else x; }
                1:15: this `else` belongs to no `if`
            int f(void) { while (1) int x; }
                1:25: expected a statement, found a declaration (help: put braces around it)
            int f(void) {
                1:14: expected `}`, found the end of the file
            int f(void) { do x; while (1) }
                1:31: expected `;`, found `}`
            int f(void) { int g(void) { return 1; } }
                1:19: nested functions are not supported (help: move it out of the function around it)
            int f(void) { int g() { } }
                1:19: nested functions are not supported (help: move it out of the function around it)
            int f(void) { case: }
                1:19: expected an expression, found `:`
            int f(void) { goto 3; }
                1:20: expected a label or `*`, found `3`
            int f(void) { asm(x); }
                1:19: expected a string, found `x`
            int f(void) { x; __label__ a; }
                1:18: `__label__` stands at the beginning of a block
            int f(void) { } }
                1:17: expected a declaration or a function, found `}`
        "#]],
    );
}

#[test]
fn expressions() {
    refused(
        "
        int f(void) { x = (1 + 2; }
        int f(void) { f(1, ); }
        int f(void) { f(1 2); }
        int f(void) { a[1; }
        int f(void) { a.1; }
        int f(void) { a ? b; }
        int f(void) { x = int; }
        int f(void) { x = (foo_t) y; }
        _Generic
        int x = _Generic(1);
        int x = _Generic(1, default: 1, default: 2);
        int x = __builtin_offsetof(struct s, 3);
        ",
        expect![[r#"
            int f(void) { x = (1 + 2; }
                1:25: expected `)`, found `;`
            int f(void) { f(1, ); }
                1:20: expected an expression, found `)`
            int f(void) { f(1 2); }
                1:19: expected `,` or `)`, found `2`
            int f(void) { a[1; }
                1:18: expected `]`, found `;`
            int f(void) { a.1; }
                1:16: expected `;`, found `.1`
            int f(void) { a ? b; }
                1:20: expected `:`, found `;`
            int f(void) { x = int; }
                1:19: expected an expression, found `int`
            int f(void) { x = (foo_t) y; }
                1:20: `foo_t` is not known as a type (help: declare it with `typedef`, or include the header that does)
            _Generic
                1:1: expected a declaration or a function, found `_Generic`
            int x = _Generic(1);
                1:19: expected `,`, found `)`
            int x = _Generic(1, default: 1, default: 2);
                1:33: this `_Generic` has a default already
            int x = __builtin_offsetof(struct s, 3);
                1:38: expected a member's name, found `3`
        "#]],
    );
}

#[test]
fn declarations() {
    refused(
        "
        int x
        int x = ;
        int x y;
        int f(foo_t x);
        int f(foo_t *x);
        int f(int, 3);
        int f(a, int b);
        int x[3;
        int (*x;
        int x = {1, 2;
        int x = {. = 1};
        int x = {.a 1};
        int x : 3;
        )
        int x __attribute__((aligned(4));
        int x __attribute__(packed);
        _Static_assert(1, 2);
        ",
        expect![[r#"
            int x
                1:6: expected `=`, `,` or `;`, found the end of the file
            int x = ;
                1:9: expected an expression, found `;`
            int x y;
                1:7: expected `=`, `,` or `;`, found `y`
            int f(foo_t x);
                1:7: `foo_t` is not known as a type (help: declare it with `typedef`, or include the header that does)
            int f(foo_t *x);
                1:7: `foo_t` is not known as a type (help: declare it with `typedef`, or include the header that does)
            int f(int, 3);
                1:12: expected a parameter, found `3`
            int f(a, int b);
                1:10: expected a parameter's name, found `int`
            int x[3;
                1:8: expected `]`, found `;`
            int (*x;
                1:8: expected `)`, found `;`
            int x = {1, 2;
                1:14: expected `,` or `}`, found `;`
            int x = {. = 1};
                1:12: expected a member's name, found `=`
            int x = {.a 1};
                1:13: expected `=`, found `1`
            int x : 3;
                1:7: expected `=`, `,` or `;`, found `:`
            )
                1:1: expected a declaration or a function, found `)`
            int x __attribute__((aligned(4));
                1:33: expected `)`, found `;`
            int x __attribute__(packed);
                1:21: expected `(`, found `packed`
            _Static_assert(1, 2);
                1:19: expected a string, found `2`
        "#]],
    );
}

#[test]
fn types() {
    refused(
        "
        foo_t x;
        foo_t *x;
        struct { foo_t x; };
        struct { int };  struct { 3 };
        struct;
        enum { };
        enum { A B };
        enum;
        long char x;
        int int x;
        short long x;
        int struct s x;
        unsigned float x;
        complex x;
        static extern int x;
        typedef int T; int y = sizeof(static T);
        typedef int T; T T x;
        typedef int T; int f(void) { return T; }
        typedef int f(void) { }
        ",
        expect![[r#"
            foo_t x;
                1:1: `foo_t` is not known as a type (help: declare it with `typedef`, or include the header that does)
            foo_t *x;
                1:1: `foo_t` is not known as a type (help: declare it with `typedef`, or include the header that does)
            struct { foo_t x; };
                1:10: `foo_t` is not known as a type (help: declare it with `typedef`, or include the header that does)
            struct { int };  struct { 3 };
                1:14: expected a name, found `}`
            struct;
                1:7: expected a tag or `{`, found `;`
            enum { };
                1:8: expected an enumeration constant, found `}`
            enum { A B };
                1:10: expected `,` or `}`, found `B`
            enum;
                1:5: expected a tag or `{`, found `;`
            long char x;
                1:1: these words do not make a type
            int int x;
                1:5: `int` does not belong to the type before it
            short long x;
                1:1: these words do not make a type
            int struct s x;
                1:5: `struct` does not belong to the type before it
            unsigned float x;
                1:1: these words do not make a type
            complex x;
                1:1: `complex` is not known as a type (help: declare it with `typedef`, or include the header that does)
            static extern int x;
                1:8: `extern` contradicts the storage class before it
            typedef int T; int y = sizeof(static T);
                1:31: expected an expression, found `static`
            typedef int T; T T x;
                1:20: expected `=`, `,` or `;`, found `x`
            typedef int T; int f(void) { return T; }
                1:37: expected an expression, found the type `T`
            typedef int f(void) { }
                1:1: a typedef has no body
        "#]],
    );
}

#[test]
fn preprocessed_text() {
    refused(
        "
        #include <stdio.h>
        # 99999999999999 \"f\"
        int \u{b7};
        ",
        expect![[r#"
            #include <stdio.h>
                1:1: `#include <stdio.h>` is not expected in preprocessed text (help: a file with directives is named `.c`, one without them `.i`)
            # 99999999999999 "f"
                1:1: `#99999999999999 "f"` is no line marker
            int ·;
                1:5: the character `\u{b7}` has no meaning here
        "#]],
    );
}

/// All that is said of a text.
#[track_caller]
fn all(text: &str, expected: Expect) {
    let Err((_, diagnostics)) = parse("unit.i", text, &Options::default()) else {
        panic!("accepted: {text}")
    };
    expected.assert_eq(&diagnostics.iter().map(|d| format!("{}\n", said(d))).collect::<String>());
}

#[test]
fn several_in_one_text() {
    all(
        "int f(void) { return 1 }
int g(void) { int x = ; return x; }
typedef foo_t bar_t;
bar_t a, b = ;
uint32_t c; uint32_t d;
typedef int (*call_t;
call_t e;
int old(n) int n; { return n n; }
struct s { int; 3 } t;
int h(void) { foo_t y; size_tt z; zise_t w; if (1 { } }
struct r { int a; }
int i(void) { return 1 }
int j(void) { return 1 }
",
        expect![[r#"
            1:24: expected `;`, found `}`
            2:23: expected an expression, found `;`
            3:9: `foo_t` is not known as a type (help: declare it with `typedef`, or include the header that does)
            4:14: expected an expression, found `;`
            5:1: `uint32_t` is not known as a type (help: include <stdint.h>)
            6:21: expected `)`, found `;`
            8:30: expected `;`, found `n`
            9:17: expected a member or `}`, found `3`
            10:24: `size_tt` is not known as a type (help: declare it with `typedef`, or include the header that does)
            10:35: `zise_t` is not known as a type (help: declare it with `typedef`, or include the header that does)
            10:51: expected `)`, found `{`
            12:1: `int` does not belong to the type before it (help: is a `;` missing after the `}` before it?)
            13:24: expected `;`, found `}`
        "#]],
    );
}

#[test]
fn braces_that_do_not_match() {
    all(
        "int f(void) { } }\nint x = ;\n",
        expect![[r#"
        1:17: expected a declaration or a function, found `}`
    "#]],
    );
    all(
        "int f(void) { if (1) { return 1; }\nint g(void) { return 2 }\nint x = ;\n",
        expect![[r#"
            2:5: nested functions are not supported (help: move it out of the function around it)
            3:9: expected an expression, found `;`
            4:1: expected `}`, found the end of the file
        "#]],
    );
}
