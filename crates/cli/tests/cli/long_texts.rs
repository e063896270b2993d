//! Texts that are longer than people write, but not than programs do.

use crate::check;
use fencepost_samples::effort::{Effort, effort};

/// A chain of `else if`, whatever its length, takes the branch that it says.
#[test]
fn chains_of_else_if() {
    for (arms, taken) in [(100, 70), (300, 299), (300, 5), (3000, 1500)] {
        let chain: String = (0..arms).map(|i| format!("if (r == {i}) {{ x = {i} + 1; }}\nelse ")).collect();
        let chain = chain + "{ x = -1; }";
        for (r, x) in [(taken, taken + 1), (arms, -1)] {
            let fp = format!("shared int x; thread t {{ int r = {r};\n{chain}\nassert(x == {x}); }}");
            let c = format!("int x;\nint main(void) {{ int r = {r};\n{chain}\n");
            let c = format!("#include <assert.h>\n{c}assert(x == {x}); return 0; }}\n");
            for (name, text) in [("chain.fp", &fp), ("chain.c", &c)] {
                let ran = check(name, text, &[]);
                assert_eq!(ran.code, 0, "{name}, {arms} arms, {r}: {}{}", ran.stdout, ran.stderr);
                let wrong = text.replace(&format!("assert(x == {x})"), &format!("assert(x != {x})"));
                let ran = check(name, &wrong, &[]);
                assert_eq!(ran.code, 1, "{name}, {arms} arms, {r}: {}{}", ran.stdout, ran.stderr);
            }
        }
    }
}

/// A chain inside of a loop, an atomic section and a branch of another chain.
#[test]
fn chains_inside_of_others() {
    let chain = |last: &str| -> String {
        (0..200)
            .map(|i| format!("if (r == {i}) {{ x = x + 1; if (i == 2) {{ continue; }} }}\nelse "))
            .collect::<String>()
            + last
    };
    let inner = chain("{ x = 100; }");
    let outer = chain(&format!("{{ {inner} }}"));
    let text = format!(
        "shared int x; thread t {{ int r = 150; int i = 0; while (i < 3) {{ i = i + 1;\n{outer}\nx = x + 10; }}
         assert(x == 23); }}"
    );
    let ran = check("chain_in_chain.fp", &text, &[]);
    assert_eq!(ran.code, 0, "{}{}", ran.stdout, ran.stderr);
    let ran = check("chain_in_chain.fp", &text.replace("x == 23", "x == 33"), &[]);
    assert_eq!(ran.code, 1, "{}{}", ran.stdout, ran.stderr);
}

/// Rows of operators and chains of `?:`, whatever their length, have the value that they say.
#[test]
fn rows_of_operators() {
    let n = match effort() {
        Effort::Quick => 1500,
        Effort::Full | Effort::All => 5000,
    };
    let row = |operand: &str, operator: &str| vec![operand; n].join(operator);
    let chain: String = (0..n).map(|i| format!("k == {i} ? {} : ", 3 * i)).collect();
    // One arm makes the type wider.
    let wide: String =
        (0..200).map(|i| format!("k == {i} ? {} : ", if i == 9 { "1L" } else { "(char)1" })).collect();
    let calls: String = (0..200).map(|i| format!("k == {i} ? call({i}) : ")).collect();
    for (name, value, wanted) in [
        ("sum", row("x", " + "), n.to_string()),
        ("bytes", row("b", " + "), (200 * n).to_string()),
        ("mixed", format!("{} + 0", row("x + l - b / 100", " + ")), "0".into()),
        ("both", format!("({}) + n", row("(n++, x)", " && ")), (n + 1).to_string()),
        ("either", format!("({}) + n", row("(n++, 0)", " || ")), n.to_string()),
        ("stops", format!("(x || {}) + n", row("n++", " || ")), "1".into()),
        ("comma", format!("({}, n)", row("n++", ", ")), n.to_string()),
        ("pointer", format!("*(a{})", " + 1 - 1".repeat(n / 2)), "11".into()),
        ("text", format!("({})[{}]", row("\"a\"", " "), n - 1), "'a'".into()),
        ("first", format!("({chain} -1)"), "210".into()),
        ("last", format!("(k = {n}, {chain} -1)"), "-1".into()),
        ("type", format!("(int)sizeof({wide} 0)"), "8".into()),
        ("nothing", format!("({calls} (void)0, n)"), "70".into()),
    ] {
        let text = format!(
            "#include <assert.h>\nint x = 1, k = 70, n, a[] = {{11, 12}}; long l = 1; unsigned char b = 200;\n\
             void call(int i) {{ n = i; }}\nint main(void) {{ long value = {value};\nassert(value == {wanted}); return 0; }}\n"
        );
        let ran = check(&format!("row_{name}.c"), &text, &["-q"]);
        assert_eq!(ran.code, 0, "{name}: {}{}", ran.stdout, ran.stderr);
        let ran =
            check(&format!("row_{name}.c"), &text.replace("assert(value ==", "assert(value !="), &["-q"]);
        assert_eq!(ran.code, 1, "{name}: {}{}", ran.stdout, ran.stderr);
    }
}
