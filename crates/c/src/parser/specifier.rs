//! What a declaration begins with: storage classes, qualifiers, types.

use super::{Keyword, Meaning, Parser, Result, TokenKind, refused};
use crate::ast::*;
use fencepost_ir::Span;
use fencepost_text::Diagnostic;

#[derive(Clone, Copy, PartialEq, Eq)]
enum Sign {
    Signed,
    Unsigned,
}

/// The word of a basic type that is not `long`, `unsigned` or the like.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Core {
    Void,
    Bool,
    Char,
    Int,
    Int128,
    Floating(FloatType),
}

/// The words of a basic type, which come in any order.
#[derive(Clone, Copy, PartialEq, Eq, Default)]
struct Words {
    core: Option<Core>,
    sign: Option<Sign>,
    shorts: u8,
    longs: u8,
    complex: bool,
}

impl Words {
    /// Adds a word; false if it is there already or is none of a basic type.
    fn add(&mut self, keyword: Keyword) -> bool {
        let core = match keyword {
            Keyword::Void => Core::Void,
            Keyword::Bool => Core::Bool,
            Keyword::Char => Core::Char,
            Keyword::Int => Core::Int,
            Keyword::Int128 => Core::Int128,
            Keyword::Float => Core::Floating(FloatType::Float),
            Keyword::Double => Core::Floating(FloatType::Double),
            Keyword::FloatN(ty) => Core::Floating(ty),
            Keyword::Short => {
                self.shorts += 1;
                return self.shorts == 1;
            }
            Keyword::Long => {
                self.longs += 1;
                return self.longs <= 2;
            }
            Keyword::Signed => return self.sign.replace(Sign::Signed).is_none(),
            Keyword::Unsigned => return self.sign.replace(Sign::Unsigned).is_none(),
            Keyword::Complex => return !std::mem::replace(&mut self.complex, true),
            _ => return false,
        };
        self.core.replace(core).is_none()
    }

    /// The type that the words name together.
    fn resolve(self) -> Option<BasicType> {
        use BasicType::*;
        let signed = |s, u| Some(if self.sign == Some(Sign::Unsigned) { u } else { s });
        let length = (self.shorts, self.longs);
        if self.complex {
            return match (self.core, self.sign, length) {
                (None, None, (0, 0)) => Some(Complex(FloatType::Double)),
                (Some(Core::Floating(FloatType::Double)), None, (0, 1)) => {
                    Some(Complex(FloatType::LongDouble))
                }
                (Some(Core::Floating(ty)), None, (0, 0)) => Some(Complex(ty)),
                _ => None,
            };
        }
        match (self.core, length) {
            (Some(Core::Void), (0, 0)) if self.sign.is_none() => Some(Void),
            (Some(Core::Bool), (0, 0)) if self.sign.is_none() => Some(Bool),
            (Some(Core::Floating(FloatType::Double)), (0, 1)) if self.sign.is_none() => {
                Some(Floating(FloatType::LongDouble))
            }
            (Some(Core::Floating(ty)), (0, 0)) if self.sign.is_none() => Some(Floating(ty)),
            (Some(Core::Char), (0, 0)) => match self.sign {
                None => Some(Char),
                Some(Sign::Signed) => Some(SignedChar),
                Some(Sign::Unsigned) => Some(UnsignedChar),
            },
            (Some(Core::Int128), (0, 0)) => signed(Int128, UnsignedInt128),
            (Some(Core::Int) | None, (0, 0)) => signed(Int, Unsigned),
            (Some(Core::Int) | None, (1, 0)) => signed(Short, UnsignedShort),
            (Some(Core::Int) | None, (0, 1)) => signed(Long, UnsignedLong),
            (Some(Core::Int) | None, (0, 2)) => signed(LongLong, UnsignedLongLong),
            _ => None,
        }
    }
}

impl Parser<'_, '_> {
    /// Whether the token so far ahead begins a type name.
    pub(super) fn is_type_at(&self, ahead: usize) -> bool {
        let token = self.peek_at(self.past_attributes(ahead));
        match token.kind {
            TokenKind::Identifier => self.is_type(token.text),
            TokenKind::Keyword(keyword) => is_type_keyword(keyword),
            _ => false,
        }
    }

    /// Whether a declaration is next.
    pub(super) fn is_declaration(&self) -> bool {
        let ahead = self.past_attributes(0);
        match self.peek_at(ahead).kind {
            TokenKind::Keyword(keyword) => is_type_keyword(keyword) || is_storage_keyword(keyword),
            _ => self.is_type_at(ahead),
        }
    }

    /// Specifiers; a type that is not there is `int`.
    pub(super) fn specifiers(&mut self) -> Result<Specifiers> {
        let start = self.here();
        let mut words = Words::default();
        let mut ty = None;
        let mut all = Specifiers {
            storage: None,
            thread_local: None,
            inline: None,
            noreturn: None,
            alignments: Vec::new(),
            qualifiers: Qualifiers::default(),
            ty: TypeSpecifier::Basic(BasicType::Int),
            attributes: Vec::new(),
            span: start,
        };
        let first = self.position;
        loop {
            self.attributes(&mut all.attributes)?;
            let (at, token) = (self.position, self.peek());
            let is_typed = ty.is_some() || words != Words::default();
            let keyword = match token.kind {
                TokenKind::Identifier if !is_typed && self.is_type(token.text) => {
                    ty = Some(self.named());
                    continue;
                }
                // In old programs a type that is not there is `int`, but a name cannot follow what that declares.
                TokenKind::Identifier if !is_typed && self.position > first && self.is_name_at(1) => {
                    return Err(self.unknown_type());
                }
                TokenKind::Keyword(keyword) => keyword,
                _ => break,
            };
            // Before GCC knew these types, headers declared them.
            if is_typed && matches!(keyword, Keyword::FloatN(_)) && !words.complex {
                break;
            }
            if self.storage(keyword, &mut all)? || self.qualifier(&mut all.qualifiers) {
                continue;
            }
            match keyword {
                Keyword::Extension => {
                    self.advance();
                    continue;
                }
                Keyword::Alignas => {
                    let alignment = self.alignment()?;
                    all.alignments.push(alignment);
                    continue;
                }
                _ if !is_type_keyword(keyword) => break,
                _ => {}
            }
            let mut is_new = ty.is_none();
            match self.type_specifier(keyword)? {
                Some(specifier) => {
                    is_new &= words == Words::default();
                    ty = Some(specifier);
                }
                None => is_new &= words.add(keyword),
            }
            if !is_new {
                return refused(self.second_type(at));
            }
        }
        if self.position > first {
            all.span = self.since(start);
        }
        all.ty = match ty {
            Some(ty) => ty,
            None => TypeSpecifier::Basic(words.resolve().ok_or_else(|| {
                Box::new(
                    Diagnostic::new(all.span, "these words do not make a type").label("not a type together"),
                )
            })?),
        };
        Ok(all)
    }

    /// The token there does not belong to the type before it.
    fn second_type(&self, at: usize) -> Diagnostic {
        let token = &self.tokens[at];
        let message = format!("`{}` does not belong to the type before it", token.text);
        let diagnostic = Diagnostic::new(token.span, message).label("a second type");
        match self.tokens[at.saturating_sub(1)].kind {
            TokenKind::Symbol("}") => diagnostic.help("is a `;` missing after the `}` before it?"),
            _ => diagnostic,
        }
    }

    /// A typedef name.
    fn named(&mut self) -> TypeSpecifier {
        let token = self.advance();
        match token.text {
            "__int128_t" => TypeSpecifier::Basic(BasicType::Int128),
            "__uint128_t" => TypeSpecifier::Basic(BasicType::UnsignedInt128),
            text => TypeSpecifier::Named(Name { text: text.to_string(), span: token.span }),
        }
    }

    /// Reads a keyword that says how something is stored or called; false if it is none.
    fn storage(&mut self, keyword: Keyword, all: &mut Specifiers) -> Result<bool> {
        let span = self.here();
        let class = match keyword {
            Keyword::Typedef => Storage::Typedef,
            Keyword::Extern => Storage::Extern,
            Keyword::Static => Storage::Static,
            Keyword::Auto => Storage::Auto,
            Keyword::Register => Storage::Register,
            Keyword::ThreadLocal => {
                all.thread_local = Some(span);
                self.advance();
                return Ok(true);
            }
            Keyword::Inline => {
                all.inline = Some(span);
                self.advance();
                return Ok(true);
            }
            Keyword::Noreturn => {
                all.noreturn = Some(span);
                self.advance();
                return Ok(true);
            }
            _ => return Ok(false),
        };
        if all.storage.is_some_and(|(other, _)| other != class) {
            let message = format!("`{}` contradicts the storage class before it", self.peek().text);
            return refused(Diagnostic::new(span, message).label("a second storage class"));
        }
        all.storage = Some((class, span));
        self.advance();
        Ok(true)
    }

    /// Reads a qualifier; false if none is next. `_Atomic(` begins a type instead.
    fn qualifier(&mut self, qualifiers: &mut Qualifiers) -> bool {
        let TokenKind::Keyword(keyword) = self.kind() else { return false };
        match keyword {
            Keyword::Const => qualifiers.is_const = true,
            Keyword::Volatile => qualifiers.is_volatile = true,
            Keyword::Restrict => qualifiers.is_restrict = true,
            Keyword::Atomic if !self.is_at(1, "(") => qualifiers.is_atomic = true,
            _ => return false,
        }
        self.advance();
        true
    }

    /// Reads all qualifiers that are next, with attributes between them.
    pub(super) fn qualifiers(&mut self, attributes: &mut Vec<Attribute>) -> Result<Qualifiers> {
        let mut qualifiers = Qualifiers::default();
        loop {
            self.attributes(attributes)?;
            if !self.qualifier(&mut qualifiers) {
                return Ok(qualifiers);
            }
        }
    }

    /// `_Alignas(T)`, `_Alignas(n)`
    fn alignment(&mut self) -> Result<TypeOrExpr> {
        self.advance();
        self.parenthesized_type_or_expr()
    }

    fn parenthesized_type_or_expr(&mut self) -> Result<TypeOrExpr> {
        if self.is("(") && self.is_type_at(1) {
            return Ok(TypeOrExpr::Type(self.parenthesized_type()?));
        }
        self.expect("(")?;
        let value = self.deeper(Self::expression)?;
        self.expect(")")?;
        Ok(TypeOrExpr::Expr(Box::new(value)))
    }

    /// Reads a type specifier. None is a word of a basic type.
    fn type_specifier(&mut self, keyword: Keyword) -> Result<Option<TypeSpecifier>> {
        Ok(Some(match keyword {
            Keyword::Struct => {
                TypeSpecifier::Record(Box::new(self.deeper(|p| p.record(RecordKind::Struct))?))
            }
            Keyword::Union => TypeSpecifier::Record(Box::new(self.deeper(|p| p.record(RecordKind::Union))?)),
            Keyword::Enum => TypeSpecifier::Enum(Box::new(self.deeper(Self::enumeration)?)),
            Keyword::Typeof => {
                self.advance();
                TypeSpecifier::Typeof(self.parenthesized_type_or_expr()?)
            }
            Keyword::Atomic => {
                self.advance();
                TypeSpecifier::Atomic(self.parenthesized_type()?)
            }
            Keyword::AutoType => {
                self.advance();
                TypeSpecifier::Auto
            }
            Keyword::BuiltinVaList => {
                self.advance();
                TypeSpecifier::VaList
            }
            _ => {
                self.advance();
                return Ok(None);
            }
        }))
    }

    fn record(&mut self, kind: RecordKind) -> Result<Record> {
        let word = self.advance();
        let mut attributes = Vec::new();
        self.attributes(&mut attributes)?;
        let tag = self.tag()?;
        let mut members = None;
        if self.take("{") {
            let list = members.insert(Vec::new());
            while !self.take("}") {
                // Stray semicolons do nothing.
                if !self.take(";") {
                    list.push(self.member()?);
                }
            }
            self.attributes(&mut attributes)?;
        } else if tag.is_none() {
            return Err(self.unexpected("a tag or `{`"));
        }
        Ok(Record { kind, tag, members, attributes, span: self.head(word.span) })
    }

    /// Whether a name is there, or a pointer of that name.
    fn is_name_at(&self, ahead: usize) -> bool {
        let is_name = |ahead| self.peek_at(ahead).kind == TokenKind::Identifier;
        is_name(ahead) || self.is_at(ahead, "*") && is_name(ahead + 1)
    }

    /// The tag of a structure, union or enumeration.
    fn tag(&mut self) -> Result<Option<Name>> {
        if self.kind() == TokenKind::Identifier { Ok(Some(self.name("a tag")?)) } else { Ok(None) }
    }

    /// From a place to the last token, but only the place if braces lie between them.
    fn head(&self, start: Span) -> Span {
        let end = self.before();
        if end.line == start.line { start.to(end) } else { start }
    }

    fn member(&mut self) -> Result<Member> {
        if self.is_word(Keyword::StaticAssert) {
            return Ok(Member::StaticAssert(self.static_assert()?));
        }
        if !self.is_declaration() && !self.is_attribute() {
            return Err(if self.kind() == TokenKind::Identifier {
                self.unknown_type()
            } else {
                self.unexpected("a member or `}`")
            });
        }
        let specifiers = Box::new(self.specifiers()?);
        let mut fields = Vec::new();
        if !self.is(";") {
            loop {
                fields.push(self.field()?);
                if !self.take(",") {
                    break;
                }
            }
        }
        // GCC lets the last semicolon be missing.
        if !self.is("}") {
            self.expect(";")?;
        }
        Ok(Member::Fields { specifiers, fields })
    }

    fn field(&mut self) -> Result<Field> {
        let mut before = Vec::new();
        self.attributes(&mut before)?;
        let start = self.here();
        let mut declarator = if self.is(":") { self.no_declarator() } else { self.declarator()? };
        let width = if self.take(":") { Some(self.conditional()?) } else { None };
        declarator.attributes.append(&mut before);
        self.attributes(&mut declarator.attributes)?;
        Ok(Field { declarator, width, span: self.since(start) })
    }

    fn enumeration(&mut self) -> Result<Enum> {
        let word = self.advance();
        let mut attributes = Vec::new();
        self.attributes(&mut attributes)?;
        let tag = self.tag()?;
        let mut enumerators = None;
        if self.take("{") {
            let list = enumerators.insert(Vec::new());
            loop {
                let name = self.name("an enumeration constant")?;
                self.attributes(&mut Vec::new())?;
                let value = if self.take("=") { Some(self.conditional()?) } else { None };
                self.declare(&name.text, Meaning::Hidden);
                list.push(Enumerator { name, value });
                if self.take(",") {
                    if self.take("}") {
                        break;
                    }
                } else if self.take("}") {
                    break;
                } else {
                    return Err(self.unexpected("`,` or `}`"));
                }
            }
            self.attributes(&mut attributes)?;
        } else if tag.is_none() {
            return Err(self.unexpected("a tag or `{`"));
        }
        Ok(Enum { tag, enumerators, attributes, span: self.head(word.span) })
    }
}

/// Keywords that a type name may begin with.
fn is_type_keyword(keyword: Keyword) -> bool {
    use Keyword::*;
    matches!(
        keyword,
        Atomic
            | AutoType
            | Bool
            | BuiltinVaList
            | Char
            | Complex
            | Const
            | Double
            | Enum
            | Float
            | FloatN(_)
            | Int
            | Int128
            | Long
            | Restrict
            | Short
            | Signed
            | Struct
            | Typeof
            | Union
            | Unsigned
            | Void
            | Volatile
    )
}

/// Other keywords that a declaration may begin with.
fn is_storage_keyword(keyword: Keyword) -> bool {
    use Keyword::*;
    matches!(keyword, Alignas | Auto | Extern | Inline | Noreturn | Register | Static | ThreadLocal | Typedef)
}
