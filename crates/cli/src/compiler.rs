//! Flags of C compilers among the arguments.

use fencepost_verify::compiler::Flag;

/// The arguments without flags of C compilers, which become options that clap knows.
pub fn translated(args: impl IntoIterator<Item = String>) -> Vec<String> {
    let mut out = Vec::new();
    let mut args = args.into_iter();
    while let Some(arg) = args.next() {
        if arg == "--" {
            out.push(arg);
            out.extend(args.by_ref());
            break;
        }
        match Flag::of(&arg) {
            None => out.push(arg),
            Some(Flag::Left) => {}
            Some(Flag::Ilp32) => out.push("--data-model=ilp32".to_string()),
            Some(Flag::HandedOn(flags)) => {
                out.extend(flags.into_iter().map(|flag| format!("--c-flag={flag}")))
            }
            Some(Flag::TakesPath) => {
                let path = args.next();
                out.extend([Some(arg), path].into_iter().flatten().map(|flag| format!("--c-flag={flag}")));
            }
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::translated;

    fn words(text: &str) -> Vec<String> {
        text.split_whitespace().map(str::to_string).collect()
    }

    #[test]
    fn flags_of_compilers_are_taken_or_left() {
        let given = "fencepost check -O2 -Wall -pthread -std=c11 -include a.h -isystem/opt/x -UNDEBUG -I inc -DN=2 -m32 x.c";
        let expected = "fencepost check --c-flag=-std=c11 --c-flag=-include --c-flag=a.h --c-flag=-isystem \
                        --c-flag=/opt/x --c-flag=-UNDEBUG -I inc -DN=2 --data-model=ilp32 x.c";
        assert_eq!(translated(words(given)), words(expected));
        assert_eq!(translated(words("fencepost check -q -- -O2")), words("fencepost check -q -- -O2"));
    }
}
