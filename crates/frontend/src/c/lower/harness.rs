//! What to say about a file without `main`: a program to start from.

use super::*;

impl Lowerer<'_> {
    /// The error, with a `main` that calls what the file offers from two threads.
    pub(super) fn no_main(&self) -> Diagnostic {
        let offered: Vec<&Function<'_>> = self.functions.iter().filter(|f| f.body.is_some()).collect();
        let span = offered.first().map_or(Span { line: 1, column: 1, ..Span::NONE }, |f| f.span);
        let message = "there is no `main`, so nothing runs";
        Diagnostic::new(span, message).help(format!("a harness to start from:\n\n{}", self.harness(&offered)))
    }

    fn harness(&self, offered: &[&Function<'_>]) -> String {
        let mut text = String::from("#include <assert.h>\n#include <pthread.h>\n\n");
        text += "static void *first(void *arg)\n{\n";
        text += &self.calls(offered);
        text += "    return 0;\n}\n\nstatic void *second(void *arg)\n{\n";
        text += &self.calls(offered);
        text += "    return 0;\n}\n\n";
        text += "int main(void)\n{\n    pthread_t a, b;\n";
        text += "    pthread_create(&a, 0, first, 0);\n    pthread_create(&b, 0, second, 0);\n";
        text += "    pthread_join(a, 0);\n    pthread_join(b, 0);\n";
        text += "    assert(1); /* what must hold at the end */\n    return 0;\n}\n";
        text
    }

    fn calls(&self, offered: &[&Function<'_>]) -> String {
        let mut text = String::new();
        for function in offered {
            let params = function.ty.params.clone().unwrap_or_default();
            let args: Vec<String> = params.iter().map(|ty| self.argument(ty)).collect();
            text += &format!("    {}({});\n", function.name, args.join(", "));
        }
        if text.is_empty() { "    /* what a thread does */\n".to_string() } else { text }
    }

    fn argument(&self, ty: &CType) -> String {
        match ty.unqualified() {
            CType::Pointer(to) => {
                let global = self.globals.iter().find(|g| g.ty.unqualified() == to.unqualified());
                global.map_or("0".to_string(), |g| format!("&{}", g.name))
            }
            _ => "0".to_string(),
        }
    }
}
