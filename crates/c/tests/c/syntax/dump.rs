//! The C tree as S-expressions, for tests: short, but nothing that the parser decides is left out,
//! places excepted.

use fencepost_c::ast::*;

fn list(head: &str, parts: impl IntoIterator<Item = String>) -> String {
    let mut out = format!("({head}");
    for part in parts {
        out.push(' ');
        out.push_str(&part);
    }
    out.push(')');
    out
}

fn text(literal: &StringLiteral) -> String {
    let prefix = match literal.encoding {
        Encoding::Plain => "",
        Encoding::Utf8 => "u8",
        Encoding::Utf16 => "u",
        Encoding::Utf32 => "U",
        Encoding::Wide => "L",
    };
    format!("{prefix}{:?}", literal.text())
}

fn integer(literal: &IntegerLiteral) -> String {
    let length = match literal.length {
        IntegerLength::Int => "",
        IntegerLength::Long => "l",
        IntegerLength::LongLong => "ll",
    };
    let radix = match literal.radix {
        Radix::Binary => "b",
        Radix::Octal if literal.value == 0 => "",
        Radix::Octal => "o",
        Radix::Decimal => "",
        Radix::Hexadecimal => "x",
    };
    format!("{radix}{}{}{length}", literal.value, if literal.unsigned { "u" } else { "" })
}

fn type_or_expr(operand: &TypeOrExpr) -> String {
    match operand {
        TypeOrExpr::Type(ty) => format!("<{}>", type_name(ty)),
        TypeOrExpr::Expr(e) => expr(e),
    }
}

pub fn expr(e: &Expr) -> String {
    match &e.kind {
        ExprKind::Identifier(name) => name.clone(),
        ExprKind::Integer(literal) => integer(literal),
        ExprKind::Float(text) => text.clone(),
        ExprKind::Character(literal) => format!("'{}'", literal.value),
        ExprKind::String(literal) => text(literal),
        ExprKind::FunctionName => "__func__".to_string(),
        ExprKind::Unary(op, e) => {
            let op = match op {
                UnaryOp::Plus => "plus",
                UnaryOp::Minus => "minus",
                UnaryOp::BitNot => "~",
                UnaryOp::Not => "!",
                UnaryOp::AddressOf => "address",
                UnaryOp::Deref => "deref",
                UnaryOp::Real => "real",
                UnaryOp::Imag => "imag",
            };
            list(op, [expr(e)])
        }
        ExprKind::Step(op, e) => list(&format!("{op:?}"), [expr(e)]),
        ExprKind::Binary(op, a, b) => list(op.symbol(), [expr(a), expr(b)]),
        ExprKind::Assign(op, a, b) => {
            list(&format!("{}=", op.map_or("", |op| op.symbol())), [expr(a), expr(b)])
        }
        ExprKind::Conditional(a, b, c) => {
            list("?", [expr(a), b.as_ref().map_or("-".to_string(), |b| expr(b)), expr(c)])
        }
        ExprKind::Comma(a, b) => list(",", [expr(a), expr(b)]),
        ExprKind::Cast(ty, e) => list("cast", [format!("<{}>", type_name(ty)), expr(e)]),
        ExprKind::CompoundLiteral(ty, l) => {
            list("literal", [format!("<{}>", type_name(ty)), initializers(l)])
        }
        ExprKind::Call(f, args) => list("call", std::iter::once(expr(f)).chain(args.iter().map(expr))),
        ExprKind::Index(a, b) => list("index", [expr(a), expr(b)]),
        ExprKind::Member(a, Access::Dot, name) => list(".", [expr(a), name.text.clone()]),
        ExprKind::Member(a, Access::Arrow, name) => list("->", [expr(a), name.text.clone()]),
        ExprKind::Sizeof(operand) => list("sizeof", [type_or_expr(operand)]),
        ExprKind::Alignof(operand) => list("alignof", [type_or_expr(operand)]),
        ExprKind::Generic(generic) => {
            let associations = generic.associations.iter().map(|(ty, e)| {
                let ty = ty.as_ref().map_or("default".to_string(), |ty| format!("<{}>", type_name(ty)));
                list(&ty, [expr(e)])
            });
            list("generic", std::iter::once(type_or_expr(&generic.control)).chain(associations))
        }
        ExprKind::Statements(b) => list("statements", [block(b)]),
        ExprKind::LabelAddress(name) => list("label", [name.text.clone()]),
        ExprKind::Offsetof(ty, steps) => {
            let steps = steps.iter().map(|step| match step {
                OffsetofStep::Field(name) => format!(".{}", name.text),
                OffsetofStep::Index(e) => format!("[{}]", expr(e)),
            });
            list("offsetof", std::iter::once(format!("<{}>", type_name(ty))).chain(steps))
        }
        ExprKind::VaArg(e, ty) => list("va_arg", [expr(e), format!("<{}>", type_name(ty))]),
        ExprKind::TypesCompatible(a, b) => {
            list("compatible", [format!("<{}>", type_name(a)), format!("<{}>", type_name(b))])
        }
        ExprKind::Choose(parts) => list("choose", parts.iter().map(expr)),
    }
}

fn initializer(init: &Initializer) -> String {
    match init {
        Initializer::Expr(e) => expr(e),
        Initializer::List(l) => initializers(l),
    }
}

fn initializers(l: &InitializerList) -> String {
    let items = l.items.iter().map(|item| {
        let mut out = String::new();
        for designator in &item.designators {
            out += &match designator {
                Designator::Field(name) => format!(".{}", name.text),
                Designator::Index(e) => format!("[{}]", expr(e)),
                Designator::Range(a, b) => format!("[{}...{}]", expr(a), expr(b)),
            };
        }
        let equals = if out.is_empty() { "" } else { "=" };
        format!("{out}{equals}{}", initializer(&item.value))
    });
    format!("{{{}}}", items.collect::<Vec<_>>().join(", "))
}

fn qualifiers(q: &Qualifiers) -> String {
    let all = [
        (q.is_const, "const "),
        (q.is_volatile, "volatile "),
        (q.is_restrict, "restrict "),
        (q.is_atomic, "atomic "),
    ];
    all.iter().filter(|(is, _)| *is).map(|(_, word)| *word).collect()
}

fn attributes(all: &[Attribute]) -> String {
    all.iter()
        .map(|attribute| match &attribute.kind {
            AttributeKind::Aligned(Some(e)) => format!("@aligned({}) ", expr(e)),
            AttributeKind::Aligned(None) => "@aligned ".to_string(),
            AttributeKind::Constructor(Some(e)) => format!("@constructor({}) ", expr(e)),
            AttributeKind::Constructor(None) => "@constructor ".to_string(),
            AttributeKind::Destructor(Some(e)) => format!("@destructor({}) ", expr(e)),
            AttributeKind::Destructor(None) => "@destructor ".to_string(),
            AttributeKind::Cleanup(name) => format!("@cleanup({}) ", name.text),
            AttributeKind::Alias(name) => format!("@alias({}) ", text(name)),
            AttributeKind::Mode(name) => format!("@mode({}) ", name.text),
            AttributeKind::VectorSize(e) => format!("@vector_size({}) ", expr(e)),
            AttributeKind::Other(name) => format!("@other({name}) "),
            AttributeKind::Packed => "@packed ".to_string(),
            AttributeKind::NoReturn => "@noreturn ".to_string(),
            AttributeKind::Weak => "@weak ".to_string(),
            AttributeKind::TransparentUnion => "@transparent_union ".to_string(),
            AttributeKind::GnuInline => "@gnu_inline ".to_string(),
        })
        .collect()
}

fn specifiers(s: &Specifiers) -> String {
    let mut out = attributes(&s.attributes);
    if let Some((storage, _)) = s.storage {
        out += &format!("{storage:?} ").to_lowercase();
    }
    for (word, is) in [("thread_local", s.thread_local), ("inline", s.inline), ("noreturn", s.noreturn)] {
        if is.is_some() {
            out += &format!("{word} ");
        }
    }
    for alignment in &s.alignments {
        out += &format!("alignas({}) ", type_or_expr(alignment));
    }
    out
}

/// The derived steps, in reading order, and the base type.
fn ty(s: &Specifiers, d: &Declarator) -> String {
    let mut out = String::new();
    for derived in &d.derived {
        out += &match derived {
            Derived::Pointer(q) => format!("*{} ", qualifiers(q)).replace("  ", " "),
            Derived::Array(bounds) => {
                let size = match &bounds.size {
                    ArraySize::Unspecified => String::new(),
                    ArraySize::Star => "*".to_string(),
                    ArraySize::Expr(e) => expr(e),
                };
                let least = if bounds.is_static { "static " } else { "" };
                format!("[{least}{}{size}] ", qualifiers(&bounds.qualifiers))
            }
            Derived::Function(Parameters::Unspecified) => "fn() ".to_string(),
            Derived::Function(Parameters::Names(names)) => {
                let names: Vec<&str> = names.iter().map(|name| name.text.as_str()).collect();
                format!("fn(names {}) ", names.join(", "))
            }
            Derived::Function(Parameters::Prototype { parameters, variadic }) => {
                let mut all: Vec<String> = parameters.iter().map(parameter).collect();
                if *variadic {
                    all.push("...".to_string());
                }
                if all.is_empty() {
                    all.push("void".to_string());
                }
                format!("fn({}) ", all.join(", "))
            }
        };
    }
    out + &qualifiers(&s.qualifiers) + &base(&s.ty)
}

pub fn parameter(p: &Parameter) -> String {
    let name = p.declarator.name.as_ref().map_or(String::new(), |name| format!("{}: ", name.text));
    let attributes = attributes(&p.declarator.attributes);
    format!("{}{attributes}{name}{}", specifiers(&p.specifiers), ty(&p.specifiers, &p.declarator))
}

fn type_name(t: &TypeName) -> String {
    format!("{}{}", specifiers(&t.specifiers), ty(&t.specifiers, &t.declarator))
}

fn base(t: &TypeSpecifier) -> String {
    match t {
        TypeSpecifier::Basic(basic) => format!("{basic:?}").to_lowercase(),
        TypeSpecifier::Named(name) => name.text.clone(),
        TypeSpecifier::Record(record) => {
            let kind = match record.kind {
                RecordKind::Struct => "struct",
                RecordKind::Union => "union",
            };
            let tag = record.tag.as_ref().map_or(String::new(), |tag| format!(" {}", tag.text));
            let members = record.members.as_ref().map_or(String::new(), |members| {
                let members: Vec<String> = members.iter().map(member).collect();
                format!(" {{{}}}", members.join("; "))
            });
            format!("{}{kind}{tag}{members}", attributes(&record.attributes))
        }
        TypeSpecifier::Enum(e) => {
            let tag = e.tag.as_ref().map_or(String::new(), |tag| format!(" {}", tag.text));
            let enumerators = e.enumerators.as_ref().map_or(String::new(), |all| {
                let all = all.iter().map(|one| match &one.value {
                    Some(value) => format!("{}={}", one.name.text, expr(value)),
                    None => one.name.text.clone(),
                });
                format!(" {{{}}}", all.collect::<Vec<_>>().join(", "))
            });
            format!("{}enum{tag}{enumerators}", attributes(&e.attributes))
        }
        TypeSpecifier::Typeof(operand) => format!("typeof({})", type_or_expr(operand)),
        TypeSpecifier::Atomic(ty) => format!("Atomic({})", type_name(ty)),
        TypeSpecifier::Auto => "auto_type".to_string(),
        TypeSpecifier::VaList => "va_list".to_string(),
    }
}

fn member(m: &Member) -> String {
    match m {
        Member::StaticAssert(assertion) => static_assert(assertion),
        Member::Fields { specifiers: s, fields } if fields.is_empty() => {
            format!("{}{}", specifiers(s), base(&s.ty))
        }
        Member::Fields { specifiers: s, fields } => {
            let fields = fields.iter().map(|field| {
                let name = field.declarator.name.as_ref().map_or("", |name| &name.text);
                let width = field.width.as_ref().map_or(String::new(), |width| format!(" : {}", expr(width)));
                let attributes = attributes(&field.declarator.attributes);
                format!("{}{attributes}{name}: {}{width}", specifiers(s), ty(s, &field.declarator))
            });
            fields.collect::<Vec<_>>().join("; ")
        }
    }
}

fn static_assert(assertion: &StaticAssert) -> String {
    list(
        "static_assert",
        std::iter::once(expr(&assertion.condition)).chain(assertion.message.iter().map(text)),
    )
}

pub fn declaration(d: &Declaration) -> String {
    let s = &d.specifiers;
    if d.declarators.is_empty() {
        return format!("{}{}{};", specifiers(s), qualifiers(&s.qualifiers), base(&s.ty));
    }
    let declarators = d.declarators.iter().map(|one| {
        let mut out = specifiers(s) + &attributes(&one.declarator.attributes);
        out += &format!("{}: {}", one.name().text, ty(s, &one.declarator));
        if let Some(label) = &one.asm_label {
            out += &format!(" asm({})", text(label));
        }
        if let Some(init) = &one.initializer {
            out += &format!(" = {}", initializer(init));
        }
        out + ";"
    });
    declarators.collect::<Vec<_>>().join(" ")
}

pub fn block(b: &Block) -> String {
    let labels = b.labels.iter().map(|label| format!("__label__ {};", label.text));
    let all: Vec<String> = labels.chain(b.items.iter().map(block_item)).collect();
    if all.is_empty() { "{}".to_string() } else { format!("{{ {} }}", all.join(" ")) }
}

pub fn block_item(item: &BlockItem) -> String {
    match item {
        BlockItem::Declaration(d) => declaration(d),
        BlockItem::StaticAssert(assertion) => format!("{};", static_assert(assertion)),
        BlockItem::Statement(s) => statement(s),
        BlockItem::Broken(_) => unreachable!("a text with errors has no tree"),
    }
}

fn statement(s: &Stmt) -> String {
    match &s.kind {
        StmtKind::Empty => ";".to_string(),
        StmtKind::Expr(e) => format!("{};", expr(e)),
        StmtKind::Block(b) => block(b),
        StmtKind::Labeled(labels, inner) => {
            let labels = labels.iter().map(|label| match &label.kind {
                LabelKind::Name(name) => format!("{name}: "),
                LabelKind::Case(e) => format!("case {}: ", expr(e)),
                LabelKind::Range(a, b) => format!("case {}...{}: ", expr(a), expr(b)),
                LabelKind::Default => "default: ".to_string(),
            });
            labels.collect::<String>() + &statement(inner)
        }
        StmtKind::If(c, a, None) => list("if", [expr(c), statement(a)]),
        StmtKind::If(c, a, Some(b)) => list("if", [expr(c), statement(a), statement(b)]),
        StmtKind::Switch(e, body) => list("switch", [expr(e), statement(body)]),
        StmtKind::While(c, body) => list("while", [expr(c), statement(body)]),
        StmtKind::DoWhile(body, c) => list("do", [statement(body), expr(c)]),
        StmtKind::For(f) => {
            let init = match &f.init {
                ForInit::Empty => "-".to_string(),
                ForInit::Expr(e) => expr(e),
                ForInit::Declaration(d) => declaration(d),
            };
            let part = |e: &Option<Expr>| e.as_ref().map_or("-".to_string(), expr);
            list("for", [init, part(&f.condition), part(&f.step), statement(&f.body)])
        }
        StmtKind::Goto(name) => format!("goto {};", name.text),
        StmtKind::GotoComputed(e) => format!("goto *{};", expr(e)),
        StmtKind::Continue => "continue;".to_string(),
        StmtKind::Break => "break;".to_string(),
        StmtKind::Return(None) => "return;".to_string(),
        StmtKind::Return(Some(e)) => format!("return {};", expr(e)),
        StmtKind::Asm(a) => asm(a),
    }
}

fn asm(a: &Asm) -> String {
    let operands = |all: &[AsmOperand]| {
        let all = all.iter().map(|one| {
            let name = one.name.as_ref().map_or(String::new(), |name| format!("[{}]", name.text));
            format!("{name}{:?}({})", one.constraint, expr(&one.expr))
        });
        all.collect::<Vec<_>>().join(", ")
    };
    let words = [(a.is_volatile, " volatile"), (a.is_goto, " goto")];
    let words: String = words.iter().filter(|(is, _)| *is).map(|(_, word)| *word).collect();
    let labels: Vec<&str> = a.labels.iter().map(|label| label.text.as_str()).collect();
    let (outputs, inputs) = (operands(&a.outputs), operands(&a.inputs));
    format!("(asm{words} {} : {outputs} : {inputs} : {:?} : {labels:?})", text(&a.template), a.clobbers)
}

pub fn item(item: &Item) -> String {
    match item {
        Item::Declaration(d) => declaration(d),
        Item::StaticAssert(assertion) => format!("{};", static_assert(assertion)),
        Item::Asm(a) => asm(a),
        Item::Function(f) => {
            let mut out = specifiers(&f.specifiers) + &attributes(&f.declarator.attributes);
            out += &format!("{}: {}", f.name().text, ty(&f.specifiers, &f.declarator));
            for d in &f.old_style {
                out += &format!(" where {}", declaration(d));
            }
            format!("{out} {}", block(&f.body))
        }
    }
}
