//! Procedures of the translation's own for what has no name in the text: accesses through pointers, and the end of
//! allocated variables.

use crate::Translator;
use crate::support::Helper;
use fencepost_ir::Scalar;

impl Translator<'_> {
    /// An access through a pointer finds the variable that it means; what has no name is the thread's own.
    pub fn through_pointer(&self, helper: Helper, name: &str, ty: Scalar) -> String {
        let p = &self.prefix;
        let pointer = format!("{p}pointer");
        let cast = |to: Scalar, from: Scalar, text: String| {
            if to == from { text } else { format!("({}){text}", self.scalar(to)) }
        };
        let mut lines = Vec::new();
        let reads = matches!(helper, Helper::Read(_));
        for x in self.pointed(ty).collect::<Vec<_>>() {
            let d = &self.delayed[x];
            self.each(d, &mut lines, &|indices| {
                let variable = &self.program.shared[d.base.0].name;
                let there = d.pointer(variable, indices).map_or(String::new(), |p| format!("{p} && "));
                let test = format!("if ({there}{pointer} == (void *)&{}) {{", d.at(indices));
                let mut args = indices.to_vec();
                let (load, store) = (self.helper_name(Helper::Load(x)), self.helper_name(Helper::Store(x)));
                let action = if reads {
                    vec![format!("    return {};", cast(ty, d.ty, format!("{load}({})", args.join(", "))))]
                } else {
                    args.push(cast(d.ty, ty, format!("{p}value")));
                    vec![format!("    {store}({});", args.join(", ")), "    return;".to_string()]
                };
                std::iter::once(test).chain(action).chain(["}".to_string()]).collect()
            });
        }
        let ty_name = self.scalar(ty);
        let space = if ty_name.ends_with('*') { "" } else { " " };
        let target = format!("*({ty_name}{space}*){pointer}");
        if reads {
            lines.push(format!("return {target};"));
            let comment = "What the thread sees where the pointer points to.";
            self.function(&ty_name, name, &format!("void *{pointer}"), comment, &lines)
        } else {
            lines.push(format!("{target} = {p}value;"));
            let params = format!("void *{pointer}, {}", self.typed(ty, &format!("{p}value")));
            self.function("void", name, &params, "A store to where the pointer points to.", &lines)
        }
    }

    /// An allocated variable is gone: stores to it that are on their way are forgotten.
    pub fn forget(&self, id: usize) -> Vec<String> {
        let p = &self.prefix;
        let mut lines = Vec::new();
        for x in self.delayed.iter().filter(|x| x.base.0 == id) {
            for j in 0..self.places() {
                self.each(x, &mut lines, &|indices| {
                    let at: String = indices.iter().map(|i| format!("[{i}]")).collect();
                    vec![format!("{p}is_later_{}[{j}]{at} = 0;", x.name)]
                });
            }
        }
        lines.push(format!("free({});", self.program.shared[id].name));
        lines
    }
}
