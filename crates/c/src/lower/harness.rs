//! What to say about a file without `main`: a program to start from, in which two threads call what the
//! file offers.

use super::*;
use std::fmt::Write;

impl Lowerer<'_> {
    /// The error, and the harness but for the line that includes the file.
    pub(super) fn no_main(&self) -> Diagnostic {
        let defined = || self.functions.iter().filter(|f| f.body.is_some());
        let public: Vec<_> = defined().filter(|f| self.external.contains_key(&f.name)).collect();
        let offered = if public.is_empty() { defined().collect() } else { public };
        let span = offered.first().map_or(Span { line: 1, column: 1, ..Span::NONE }, |f| f.span);
        Diagnostic::new(span, "there is no `main`, so nothing runs")
            .help("a harness to start from is printed; save it beside this file, say what must hold, and check it")
            .draft(self.harness(&offered))
    }

    fn harness(&self, offered: &[&Function<'_>]) -> String {
        // One variable for all functions that take a pointer to its type.
        let mut types: Vec<String> = Vec::new();
        let mut calls = String::new();
        for function in offered {
            let params = function.ty.params.clone().unwrap_or_default();
            let arguments = params.iter().map(|ty| match self.pointed_name(ty) {
                Some(name) => {
                    let known = types.iter().position(|t| *t == name);
                    let number = known.unwrap_or_else(|| {
                        types.push(name);
                        types.len() - 1
                    });
                    format!("&argument{}", number + 1)
                }
                None => "0".to_string(),
            });
            let arguments: Vec<_> = arguments.collect();
            let _ = writeln!(calls, "    {}({});", function.name, arguments.join(", "));
        }
        if calls.is_empty() {
            calls = "    /* what a thread does */\n".to_string();
        }
        let declared = types.iter().enumerate().map(|(i, ty)| format!("static {ty} argument{};\n", i + 1));
        let mut variables: String = declared.collect();
        if !variables.is_empty() {
            variables.push('\n');
        }
        format!(
            "{variables}static void *first(void *unused)\n{{\n    (void)unused;\n{calls}    return 0;\n}}\n\n\
             static void *second(void *unused)\n{{\n    (void)unused;\n{calls}    return 0;\n}}\n\n\
             int main(void)\n{{\n    pthread_t a, b;\n\
             \x20   pthread_create(&a, 0, first, 0);\n    pthread_create(&b, 0, second, 0);\n\
             \x20   pthread_join(a, 0);\n    pthread_join(b, 0);\n\
             \x20   assert(1); /* what must hold at the end */\n    return 0;\n}}\n"
        )
    }

    /// The name of the type that a parameter points to, if a variable of it can be declared.
    fn pointed_name(&self, ty: &CType) -> Option<String> {
        let CType::Pointer(to) = ty.unqualified() else { return None };
        self.types().storage(to)?;
        let alias = self.scopes[0].iter().filter_map(|(name, symbol)| match symbol {
            Symbol::Type(ty) if ty == &**to => Some(name.clone()),
            _ => None,
        });
        let named = match to.unqualified() {
            CType::Record(id) => self.program.records.get(*id).name != "unnamed",
            CType::Array(..) => false,
            _ => true,
        };
        // Names that the headers keep to themselves are for nobody to write.
        let alias = alias.filter(|name| !name.starts_with("__")).min();
        match to.unqualified() {
            CType::Record(_) if named => Some(self.types().show(to)),
            _ => alias.or_else(|| named.then(|| self.types().show(to))),
        }
    }
}
