//! What the modelling language means: small programs whose assertions hold under every model, and
//! some that must go wrong in a given way.

use fencepost_ir::Fault;
use fencepost_memory::{Machine, Reachable, reachable, with_memory};
use fencepost_passes::pipeline;
use fencepost_task::{Failure, Model};

fn run(text: &str, model: Model) -> Reachable {
    let tree =
        fencepost_models::fp::read("program.fp", text).unwrap_or_else(|(_, d)| panic!("{d:?}\n{text}"));
    let program = pipeline::lower(tree);
    let machine = Machine::new(&program).unwrap();
    with_memory!(model, memory => reachable(&machine, memory, 100_000)).expect("small")
}

#[track_caller]
fn holds(text: &str) {
    for model in Model::ALL {
        let found = run(text, model);
        assert!(found.is_safe(), "{model:?}: {:?} {:?}\n{text}", found.failures, found.violated);
        assert!(found.states.iter().any(|s| s.is_final()), "{model:?}: no run ends\n{text}");
    }
}

/// One thread with these statements, and the variables `a` and `b` of type `int`.
#[track_caller]
fn body_holds(statements: &str) {
    holds(&format!(
        "shared int a, b; shared int m[2][3]; shared 0..3 x; thread t {{ int r; int s; {statements} }}"
    ));
}

#[track_caller]
fn fails(statements: &str, expected: Failure) {
    let text = format!(
        "shared int a, b; shared int m[2][3]; shared 0..3 x; thread t {{ int r; int s; {statements} }}"
    );
    let found = run(&text, Model::Sc);
    assert!(found.failures.contains(&expected), "{:?}\n{text}", found.failures);
}

#[test]
fn arithmetic() {
    body_holds("assert(7 / 2 == 3); assert(-7 / 2 == -3); assert(-7 % 2 == -1); assert(1 << 4 == 16);");
    body_holds(
        "assert((6 & 3) == 2); assert((6 | 3) == 7); assert((6 ^ 3) == 5); assert(~0 == -1); assert(-(-3) == 3);",
    );
    body_holds("r = 2147483647; r = r + 1; assert(r == -2147483648); assert(r - 1 == 2147483647);");
    body_holds(
        "u8 c = 255; c += 1; assert(c == 0); c--; assert(c == 255); assert((i8) c == -1); assert(c >> 1 == 127);",
    );
    body_holds(
        "u64 c = 18446744073709551615; assert(c > 5); assert(c / 2 == 9223372036854775807); assert((int) c == -1);",
    );
    body_holds(
        "assert(2 + 3 * 4 == 14 && (2 + 3) * 4 == 20 && 10 - 4 - 3 == 3 && !(1 == 2) && -2 + 3 == 1);",
    );
    body_holds(
        "bool c = 3 > 2; assert(c + 1 == 2); assert(c ? true : false); assert(5 != 0 ? 1 : 0); if (5) r = 1; assert(r == 1);",
    );
}

#[test]
fn evaluation_from_left_to_right() {
    holds(
        "shared int a; local int g; int f() { g = 5; return 1; } thread t { int r = g + f(); assert(r == 1); }",
    );
    holds(
        "shared int a[2]; local 0..1 k; int f() { k = 1; return 7; } thread t { a[k] = f(); assert(a[0] == 7); }",
    );
    holds(
        "local int v[2]; local 0..1 k; int f() { k = 1; return 7; } thread t { v[k] = f(); assert(v[0] == 7); }",
    );
    holds(
        "shared int a[2]; local 0..1 k; int f() { k = 1; return 7; }
         thread t { exchange(a[k], f()); assert(a[0] == 7); }",
    );
    holds(
        "local int g; void two(int p, int q) { assert(p == 0); assert(q == 1); } int f() { g = 1; return 1; }
         thread t { two(g, f()); }",
    );
    holds("shared int a[2]; thread t { int i = 0; i, a[i] = 1, 5; assert(a[0] == 5 && i == 1); }");
    holds("thread t { int a = 1; int b = 2; a, b = b, a; assert(a == 2 && b == 1); }");
}

#[test]
fn logic_evaluates_only_what_it_needs() {
    holds(
        "shared int a; int f() { a = a + 1; return 1; } thread t { if (false && f()) {} if (true || f()) {} assert(a == 0); }",
    );
    holds(
        "shared int a; int f() { a = a + 1; return 1; } thread t { bool c = a == 0 && f() == 1; assert(c && a == 1); }",
    );
    holds(
        "shared int a; int f() { a = a + 1; return 1; } thread t { int r = true ? 3 : f(); assert(r == 3 && a == 0); }",
    );
    body_holds("r = 5; assert(r < 3 && m[0][r] == 1 || true); assert(r >= 3 || 1 / (r - 5) == 0);");
}

#[test]
fn control() {
    body_holds("while (r < 3) { r++; if (r == 2) continue; s += r; } assert(r == 3 && s == 4);");
    body_holds("do { r++; if (r == 2) break; } while (true); assert(r == 2);");
    body_holds("again: r++; if (r < 4) goto again; assert(r == 4);");
    body_holds("while (r < 2) { int fresh; assert(fresh == 0); fresh = 7; r++; }");
    body_holds(
        "int i = 0; while (i < 2) { int j = 0; while (j < 3) { m[i][j] = i * 3 + j; j++; } i++; } assert(m[1][2] == 5 && m[0][2] == 2);",
    );
    body_holds("choose { r = 1; } or { r = 2; } or { r = 3; } assert(r >= 1 && r <= 3);");
    body_holds("r = any(2, 4..5); assert(r == 2 || r == 4 || r == 5); if (any) s = 1;");
    body_holds("x = any; assert(x >= 0 && x <= 3); assume(x == 2); assert(x == 2);");
}

#[test]
fn functions() {
    holds(
        "int fact(int n) { if (n <= 1) return 1; return n * fact(n - 1); } thread t { assert(fact(5) == 120); }",
    );
    holds(
        "u8 odd(u8 n) { if (n == 0) return 0; return even(n - 1); } u8 even(u8 n) { if (n == 0) return 1; return odd(n - 1); } thread t { assert(even(6) == 1 && odd(3) == 1); }",
    );
    holds("int f() { } thread t { assert(f() == 0); }");
    holds(
        "local int g; void set(int v) { int v2 = v; g = v2; } thread t { set(3); assert(g == 3); } thread u { assert(g == 0); }",
    );
}

#[test]
fn read_modify_writes() {
    body_holds(
        "r = exchange(a, 3); assert(r == 0 && a == 3); r = fetch_add(a, 2); assert(r == 3 && a == 5);",
    );
    body_holds(
        "r = fetch_sub(a, 1); assert(a == -1); fetch_and(a, 6); assert(a == 6); fetch_or(a, 9); assert(a == 15); fetch_xor(a, 5); assert(a == 10);",
    );
    body_holds(
        "assert(cas(a, 0, 4)); assert(!cas(a, 0, 5)); assert(a == 4); r = compare_exchange(a, 4, 6); assert(r == 4 && a == 6);",
    );
}

#[test]
fn threads() {
    holds(
        "shared int a; process w(int n) { fetch_add(a, n); } process main() { thread_id p = spawn w(1), q = spawn w(2); join(p); join(q); assert(a == 3); assert(p != q && p != none); }",
    );
    holds("shared int a; mutex m; thread t[2] { lock(m); a = a + 1; unlock(m); } final forall (a == 2);");
    holds("shared int a; thread t[2] { atomic { a = a + 1; } } final forall (a == 2);");
    holds(
        "shared int a; process p(int n) { if (n == 1) { atomic_begin; a = a + 1; atomic_end; } else { atomic { a = a + n; } } } start p(1), p(5); final forall (a == 6);",
    );
    holds("shared 0..2 x = any(1..2); shared 0..1 y[2] = {1, any}; thread t { assert(x > 0 && y[0] == 1); }");
    holds(
        "shared integer heap[*]; thread t { heap[-5] = 2; heap[1000000] = heap[-5] + heap[3]; } final forall (heap[1000000] == 2 && heap[0] == 0);",
    );
}

#[test]
fn errors_of_the_program() {
    let range = fencepost_ir::Scalar::Range { lo: 0, hi: 3 };
    fails("x = 3; x++;", Failure::Fault(Fault::OutOfRange { value: 4, ty: range }));
    fails("x = x - 1;", Failure::Fault(Fault::OutOfRange { value: -1, ty: range }));
    fails("fetch_add(x, 5);", Failure::Fault(Fault::OutOfRange { value: 5, ty: range }));
    fails("r = 2; m[r][0] = 1;", Failure::Fault(Fault::OutOfBounds { index: 2, len: 2 }));
    fails("r = 3; m[0][r] = 1;", Failure::Fault(Fault::OutOfBounds { index: 3, len: 3 }));
    fails("int v[2]; r = -1; v[r] = 1;", Failure::Fault(Fault::OutOfBounds { index: -1, len: 2 }));
    fails("r = 1 / a;", Failure::Fault(Fault::DivisionByZero));
    fails("r = 1 % a;", Failure::Fault(Fault::DivisionByZero));
    fails("r = 1; s = 32; r = r << s;", Failure::Fault(Fault::ShiftOutOfRange { by: 32 }));
    fails("integer big = 9223372036854775807; big = big + 1;", Failure::Fault(Fault::Overflow));
    fails("assert(a == 1);", Failure::Assertion);
    fails("atomic_end;", Failure::AtomicEndOutside);
    fails("u64 c = 18446744073709551615; integer k = c;", Failure::Fault(Fault::Overflow));
}

#[test]
fn properties() {
    let violates = |text: &str, model: Model| !run(text, model).violated.is_empty();
    let pair = "thread t { a: skip; b: skip; } thread u { c: skip; }";
    assert!(violates(&format!("{pair} forbid t at b and u at c;"), Model::Sc));
    assert!(!violates(&format!("{pair} forbid t at a and t at b;"), Model::Sc), "one thread is not two");
    assert!(violates("thread t[2] { a: skip; } forbid t at a and t at a;", Model::Sc));
    assert!(violates("thread t[3] { a: skip; } at most 2 at a;", Model::Sc));
    assert!(!violates("thread t[2] { a: skip; } at most 2 at a;", Model::Sc));
    assert!(violates("void f() { inside: skip; } thread t { f(); } forbid t at inside;", Model::Sc));
    let racy = "shared int x; thread t[2] { int r = x; x = r + 1; }";
    assert!(violates(&format!("{racy} final exists (x == 1);"), Model::Sc));
    assert!(violates(&format!("{racy} final not exists (x == 1);"), Model::Sc));
    assert!(violates(&format!("{racy} final forall (x == 2);"), Model::Sc));
    assert!(!violates(&format!("{racy} final exists (x == 3);"), Model::Sc));
}
