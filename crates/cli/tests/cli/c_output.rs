//! What is printed is read: an error or a race in that is found.

use crate::check;

/// The exit code of a function's body under SC.
fn code(name: &str, body: &str, args: &[&str]) -> i32 {
    let text = format!(
        "#define _GNU_SOURCE\n#include <err.h>\n#include <error.h>\n#include <stdio.h>\n#include <stdlib.h>\n\
         #include <string.h>\n#include <syslog.h>\n#include <unistd.h>\n\
         int main(void) {{ {body} return 0; }}\n"
    );
    let ran = check(&format!("printed_{name}.c"), &text, &[&["-q", "--model", "sc"], args].concat());
    assert!(ran.code < 2, "{name}: {}{}", ran.stdout, ran.stderr);
    ran.code
}

/// Functions that print or write a text `p`.
const PRINTERS: [(&str, &str); 12] = [
    ("puts", "puts(p);"),
    ("fputs", "fputs(p, stderr);"),
    ("printf", "printf(\"%d %s\\n\", 1, p);"),
    ("format", "printf(p);"),
    ("length", "if (printf(\"%s\", p) < 0) return 1;"),
    ("fprintf", "fprintf(stdout, \"%-8s|%f\", p, 0.5);"),
    ("dprintf", "dprintf(1, \"%*d%s\", 3, 4, p);"),
    ("perror", "perror(p);"),
    ("warn", "warnx(\"%s\", p);"),
    ("error", "error(0, 0, \"%s\", p);"),
    ("fwrite", "fwrite(p, 1, strlen(\"abc\"), stdout);"),
    ("write", "if (write(1, p, 3) < 3) return 1;"),
];

#[test]
fn memory_that_is_printed_is_there() {
    for (name, print) in PRINTERS {
        let begin = "char *p = malloc(4); strcpy(p, \"abc\");";
        assert_eq!(code(name, &format!("{begin} {print} free(p);"), &[]), 0, "{name}");
        assert_eq!(code(name, &format!("{begin} free(p); {print}"), &[]), 1, "{name} of freed memory");
    }
    assert_eq!(code("missing", "puts(getenv(\"HOME\"));", &[]), 1);
    assert_eq!(code("error_only", "perror(0); warn(0);", &[]), 0);
}

#[test]
fn texts_end() {
    let open = "char text[3] = {'a', 'b', 'c'};";
    assert_eq!(code("open", &format!("{open} puts(text);"), &[]), 1);
    assert_eq!(code("open_format", &format!("{open} printf(\"%s\", text);"), &[]), 1);
    assert_eq!(code("precise", &format!("{open} printf(\"%.3s\", text);"), &[]), 0);
    assert_eq!(code("given", &format!("{open} printf(\"%.*s\", 3, text);"), &[]), 0);
    assert_eq!(code("too_many", &format!("{open} printf(\"%.*s\", 4, text);"), &[]), 1);
    assert_eq!(code("negative", &format!("{open} printf(\"%.*s\", -1, text);"), &[]), 1);
    assert_eq!(code("bytes", &format!("{open} return write(1, text, 3) != 3;"), &[]), 0);
    assert_eq!(code("more_bytes", &format!("{open} return write(1, text, 4) != 4;"), &[]), 1);
    let numbers = "double numbers[3] = {1, 2, 3}; struct { char c; long n; } pairs[2] = {{1, 2}};";
    assert_eq!(code("items", &format!("{numbers} fwrite(numbers, sizeof *numbers, 3, stdout);"), &[]), 0);
    assert_eq!(code("more_items", &format!("{numbers} fwrite(pairs, sizeof *pairs, 3, stdout);"), &[]), 1);
}

#[test]
fn printing_races() {
    let text = "#include <pthread.h>\n#include <stdio.h>\nchar text[4] = \"abc\"; const char *name = \"abc\";\n\
                static void *writer(void *arg) { WRITE; return arg; }\n\
                static void *printer(void *arg) { PRINT; return arg; }\n\
                int main(void) { pthread_t s, t; pthread_create(&s, 0, writer, 0);\n\
                pthread_create(&t, 0, printer, 0); pthread_join(s, 0); pthread_join(t, 0); return 0; }\n";
    let racy = |write: &str, print: &str| {
        let text = text.replace("WRITE", write).replace("PRINT", print);
        check("printing.c", &text, &["-q", "--model", "sc", "--races"]).code
    };
    assert_eq!(racy("text[2] = 'd'", "puts(text)"), 1);
    assert_eq!(racy("text[2] = 'd'", "printf(\"%s\", text)"), 1);
    assert_eq!(racy("text[2] = 'd'", "printf(\"%.2s\", text)"), 0);
    assert_eq!(racy("text[2] = 'd'", "fwrite(text, 3, 1, stdout)"), 1);
    assert_eq!(racy("name = \"def\"", "puts(name)"), 1);
    assert_eq!(racy("puts(name)", "puts(name)"), 0);
}

/// A format that writes is not left out because its length is unused.
#[test]
fn formats_that_write_are_not_ignored() {
    let text = "#include <assert.h>\n#include <stdio.h>\n\
                int main(void) { int n = 0; printf(\"ab%n\", &n); assert(n == 0); return 0; }\n";
    let ran = check("writing_format.c", text, &["-q", "--model", "sc"]);
    assert_eq!(ran.code, 3, "{}{}", ran.stdout, ran.stderr);
}

/// A text whose pointer may be any number is read to its end: a number may be the address of an object that has none.
#[test]
fn a_chosen_number_may_lead_to_a_text() {
    let text = "#include <stdint.h>\n#include <stdio.h>\n\
                unsigned long __VERIFIER_nondet_ulong(void);\nchar open_end[2] = {'a', 'b'};\n\
                int main(void) { uintptr_t n = __VERIFIER_nondet_ulong(); const char *p = \"xy\";\n\
                if (n == (uintptr_t)open_end) p = (const char *)n; puts(p); return 0; }\n";
    let ran = check("chosen_text.c", text, &["-q", "--model", "sc"]);
    assert_ne!(ran.code, 0, "{}{}", ran.stdout, ran.stderr);
}
