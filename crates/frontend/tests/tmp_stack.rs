use fencepost_frontend::c::{Fragment, ast::*};
use fencepost_ir::FileId;
#[test]
fn sizes() {
    println!(
        "Expr {} Stmt {} Specifiers {} Declarator {} TypeName {} Block {} Declaration {} ExprKind {} Diag {}",
        size_of::<Expr>(),
        size_of::<Stmt>(),
        size_of::<Specifiers>(),
        size_of::<Declarator>(),
        size_of::<TypeName>(),
        size_of::<Block>(),
        size_of::<Declaration>(),
        size_of::<ExprKind>(),
        size_of::<fencepost_frontend::Diagnostic>()
    );
    let case = std::env::var("CASE").unwrap();
    let n: usize = 100000;
    let (o, m, c) = {
        let mut p = case.split('|');
        (p.next().unwrap().to_string(), p.next().unwrap().to_string(), p.next().unwrap().to_string())
    };
    let text = format!("{}{}{};", o.repeat(n), m, c.repeat(n));
    let kb: usize = std::env::var("KB").unwrap().parse().unwrap();
    std::thread::Builder::new()
        .stack_size(kb * 1024)
        .spawn(move || {
            let r = Fragment { text: &text, file: FileId(0), line: 1, column: 1, types: &["T"] }.statements();
            println!("{:?}", r.err().map(|d| d.message));
        })
        .unwrap()
        .join()
        .unwrap();
}
