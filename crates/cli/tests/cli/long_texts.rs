//! Texts that are longer than people write, but not than programs do.

use crate::check;

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
