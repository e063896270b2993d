//! Errors: several in one run, in the order of the text, none because of another.

use super::typed;
use expect_test::{Expect, expect};

fn check(text: &str, expected: Expect) {
    expected.assert_eq(&typed(text));
}

#[test]
fn several() {
    check(
        r#"int a = nothing; struct s { int x; };
int main(void) {
struct s s;
s.y = 1;
undeclared(2);
int b = s;
b = 1 + s;
return a;
}"#,
        expect![[r#"
            1:9: `nothing` is not declared [declare it, or include the header that does]
            4:3: `struct s` has no member `y` [it has `x`]
            5:1: `undeclared` is not declared [declare it, or include the header that does]
            6:9: `struct s` does not convert to `int`
            7:5: `+` does not apply to `int` and `struct s`
        "#]],
    );
}

#[test]
fn no_error_because_of_another() {
    check(
        r#"struct missing m;
int main(void) {
m.x = 1; m.y = 2;
int v = undeclared; v = v + 1; undeclared = 3;
}"#,
        expect![[r#"
            3:1: `struct missing` is not a complete type here [give its members before it is used]
            4:9: `undeclared` is not declared [declare it, or include the header that does]
        "#]],
    );
}

#[test]
fn did_you_mean() {
    check(
        r#"int counter; struct point { int left, right; struct { int depth; }; };
int main(void) {
struct point p; conuter = 1;
p.lfet = 2; p.deptj = 3;
printt(counter); zzz = 1;
struct point q = {.rihgt = 1};
struct piont r; goto agian; again: ;
}"#,
        expect![[r#"
            3:17: `conuter` is not declared [did you mean `counter`?]
            4:3: `struct point` has no member `lfet` [did you mean `left`?]
            4:15: `struct point` has no member `deptj` [did you mean `depth`?]
            5:1: `printt` is not declared [declare it, or include the header that does]
            5:18: `zzz` is not declared [declare it, or include the header that does]
            6:20: `struct point` has no member `rihgt` [did you mean `right`?]
            7:14: `struct piont` is not a complete type here [did you mean `struct point`?]
            7:22: there is no label `agian` [did you mean `again`?]
        "#]],
    );
}

#[test]
fn arguments() {
    check(
        r#"int f(int a, int b) { return a; } int v(int a, ...) { return a; } int g(void) { return 0; }
int main(void) {
f(1);
f(1, 2, 3);
v();
g(1);
int (*p)(int) = 0; p();
f(nothing, other);
}"#,
        expect![[r#"
            3:1: `f` takes 2 arguments, not 1
            4:1: `f` takes 2 arguments, not 3
            5:1: `v` takes 1 argument or more, not 0
            6:1: `g` takes 0 arguments, not 1
            7:20: this function takes 1 argument, not 0
            8:3: `nothing` is not declared [declare it, or include the header that does]
            8:12: `other` is not declared [declare it, or include the header that does]
        "#]],
    );
}

#[test]
fn operands() {
    check(
        r#"struct s { int a; } s; int *p; double d; void f(void) {}
int main(void) {
s + 1;
p * 2;
d % 2;
~d;
!s;
*d;
s();
p + p;
f() + 1;
-p;
if (s) {}
}"#,
        expect![[r#"
            3:1: `+` does not apply to `struct s` and `int`
            4:1: `*` does not apply to `int *` and `int`
            5:1: `%` does not apply to `double` and `int`
            6:1: this needs an integer, not `double`
            7:2: `struct s` cannot be used as a number
            8:1: `double` is not a pointer
            9:1: `struct s` is not a function
            10:1: `+` does not apply to `int *` and `int *`
            11:1: `+` does not apply to `void` and `int`
            12:1: this needs an integer, not `int *`
            13:5: `struct s` cannot be used as a number
        "#]],
    );
}

#[test]
fn places() {
    check(
        r#"const int c = 1; int a[2]; struct { int b : 3; } s;
int main(void) {
c = 2;
1 = 2;
a = 0;
&s.b;
&1;
a.x;
(&s).b;
c++;
}"#,
        expect![[r#"
            3:1: this is `const int`, which cannot be assigned
            4:1: this is a value, not a variable
            5:1: an array cannot be assigned, only its elements
            6:1: a bit-field has no address
            7:2: this is a value, which has no address
            8:3: `int[2]` has no members
            9:1: this is not a structure or union [it is a pointer: use `->`]
            10:1: this is `const int`, which cannot be assigned
        "#]],
    );
}

#[test]
fn statements() {
    check(
        r#"void f(void) { return 1; } int x;
int main(void) {
break;
continue;
goto nowhere;
case 1: x = 1;
l: l: x = 2;
switch (x) { case 1: case 1: default: default: ; }
switch (&x) { }
f();
}"#,
        expect![[r#"
            1:23: this function returns no value
            3:1: this `break` stands in no loop and no switch
            4:1: this `continue` stands in no loop
            5:6: there is no label `nowhere`
            6:1: this case stands in no switch
            7:4: the label `l` stands twice (first in line 7)
            8:22: this case stands twice (first in line 8)
            8:39: this switch has a `default` already
            9:9: this needs an integer, not `int *`
        "#]],
    );
}

#[test]
fn declarations() {
    check(
        r#"int f(int a) { return a; }
int f(int a) { return a; }
int x = 1; int x = 2;
long y; char y;
struct s { int a; int a; };
struct t { int b : 40; };
enum { A, A };
int n[-1];
_Static_assert(sizeof(int) == 5, "size");
int main(void) { int b; int b; void v; struct u w; return f(1); }"#,
        expect![[r#"
            2:5: `f` is defined twice (first in line 1)
            3:16: `x` is defined twice (first in line 3)
            4:14: `y` is declared as `long` and as `char` (first in line 4)
            5:23: there is a member `a` already
            6:20: a bit-field has 1 to as many bits as its type
            7:11: `A` is declared twice in this block
            8:7: an array cannot have -1 elements
            9:1: this static assertion fails: size
            10:29: `b` is declared twice in this block
            10:37: `void` is not a complete type here
            10:49: `struct u` is not a complete type here [give its members before it is used]
        "#]],
    );
}

#[test]
fn sizes() {
    check(
        r#"char a[20000000];
struct s { char b[16000000][16000000][30000]; };
struct t { char b[16000000][16000000][16000000]; };
enum { A = ((unsigned __int128)1 << 127) - 1, B };
char c[16000000][16000000];
int main(void) { return sizeof(struct s) + A; }"#,
        expect![[r#"
            1:8: an array of 20000000 elements is not supported
            2:17: an object of 7680000000000000000 bytes is not supported
            3:17: `char[16000000][16000000][16000000]` is not a complete type here
            5:6: an object of 256000000000000 bytes is not supported
        "#]],
    );
}

#[test]
fn initializers() {
    check(
        r#"int a[2] = {1, 2, 3}; int b[] = 1; int x; int c = x; struct s { int p; } s = 1; int d[2] = {[2] = 1};
int main(void) {
a[0] = b[0] + c + s.p + d[0]; int e[2] = {1, 2, 3}; struct s t = {.q = 1}; struct s u = a;
}"#,
        expect![[r#"
            1:19: there are more initialisers than members
            1:33: an array is initialised by a list in braces
            1:51: the initialiser of a static variable is a constant
            1:78: `int` does not convert to `struct s`
            1:94: this index is outside the array
            3:49: there are more initialisers than members
            3:68: `struct s` has no member `q` [it has `p`]
            3:89: `int *` does not convert to `struct s`
        "#]],
    );
}

#[test]
fn missing_definitions() {
    check(
        r#"int f(int); extern int x[]; int fork(void);
int main(void) {
f(1);
f(2);
x[0] = 1;
fork();
}"#,
        expect![[r#"
            3:1: the function `f` has no body (called here) [give the file that defines it, too, with --link, write a body for it, or let it give any value with --havoc-externs]
            5:1: the variable `x` is defined nowhere [give the file that defines it, too, with --link, or define it]
            6:1: `fork` is not supported: several processes are not modelled
        "#]],
    );
}

#[test]
fn atomics() {
    check(
        r#"struct s { int a, b; } s; int x;
int main(void) {
__atomic_load_n(&x, 9);
__atomic_fetch_add(&s, 1, 5);
__atomic_store_n(x, 1, 5);
__sync_fetch_and_add(&x);
}"#,
        expect![[r#"
            3:21: 9 is no memory order
            4:1: atomic arithmetic is for integers and pointers (struct s)
            5:18: `int` is not a pointer
            6:1: `__sync_fetch_and_add` takes 2 arguments or more, not 1
        "#]],
    );
}

#[test]
fn no_main() {
    check(
        r#"struct s { int a; };
int helper(struct s *s, int n) { return n; }"#,
        expect![[r#"
            2:5: there is no `main`, so nothing runs [a harness to start from is printed; save it beside this file, say what must hold, and check it]
        "#]],
    );
}

#[test]
fn calling_main() {
    check(
        r#"int main(void) {
main();
}"#,
        expect![[r#"
            main: int (void) () {
              main()
            }
        "#]],
    );
}

#[test]
fn attributes() {
    check(
        r#"int f(void) __attribute__((alias("g")));
int main(void) {

}"#,
        expect![[r#"
            1:28: the attribute `alias` is not supported
        "#]],
    );
}

/// What is no C and what has no type are told together, and neither because of the other.
#[test]
fn syntax_and_types() {
    check(
        r#"int f(uint99_t x); int taken(void);
struct s { int a; } g;
int main(void) {
uint99_t u = 0; u = u + 1;
int broken = 1 2; broken = missing;
if (g.b) { int y = ; y = 3; g.a = nothing; } else g.c = 1;
for (int i = 0; i < 3 i++) { i = late; }
while (1 { g.d = 1; }
(uint99_t)u; g.e = 1
}"#,
        expect![[r#"
            1:7: `uint99_t` is not known as a type (not a type) [declare it with `typedef`, or include the header that does]
            5:16: expected `,` or `;`, found `2` (expected `,` or `;`)
            5:28: `missing` is not declared [declare it, or include the header that does]
            6:7: `struct s` has no member `b` [it has `a`]
            6:20: expected an expression, found `;` (expected an expression)
            6:35: `nothing` is not declared [declare it, or include the header that does]
            6:53: `struct s` has no member `c` [it has `a`]
            7:23: expected `;`, found `i` (expected `;`)
            8:10: expected `)`, found `{` (expected `)`)
            10:1: expected `;`, found `}` (expected `;`)
        "#]],
    );
}

/// Two definitions at one place are two: what a macro makes is all where the macro is.
#[test]
fn twice_at_one_place() {
    let text = "#define TWO struct s { int a; }; struct s { long b; };\nTWO\nint main(void) { return 0; }\n";
    let (_, errors) = fencepost_c::read(&[("twice.c", text)], &fencepost_c::Options::default())
        .expect_err("it is defined twice");
    let said: Vec<(u32, &str)> = errors.iter().map(|e| (e.span.line, &e.message[..])).collect();
    assert_eq!(said, [(2, "`s` is defined twice")]);
}
