//! C's tokens.

use super::ast::{CharacterLiteral, FloatType, IntegerLiteral};
use fencepost_ir::Span;
use std::collections::HashMap;
use std::sync::LazyLock;

/// A token's content.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum TokenKind {
    Identifier,
    Keyword(Keyword),
    Integer(IntegerLiteral),
    Float,
    Character(CharacterLiteral),
    /// Decoded only when it is known what it is put together with.
    String,
    /// An operator or a bracket; digraphs are what they stand for.
    Symbol(&'static str),
    /// The end of the text.
    End,
}

/// A token, its spelling and its place in the user's file.
#[derive(Clone, Copy, Debug)]
pub struct Token<'a> {
    pub kind: TokenKind,
    pub text: &'a str,
    pub span: Span,
}

/// Longest first, so that the first match is the right one.
pub const SYMBOLS: &[&str] = &[
    "%:%:", "<<=", ">>=", "...", "->", "++", "--", "<<", ">>", "<=", ">=", "==", "!=", "&&", "||", "*=",
    "/=", "%=", "+=", "-=", "&=", "^=", "|=", "##", "<:", ":>", "<%", "%>", "%:", "[", "]", "(", ")", "{",
    "}", ".", "&", "*", "+", "-", "~", "!", "/", "%", "<", ">", "^", "|", "?", ":", ";", "=", ",", "#",
];

/// What a digraph stands for; other symbols stand for themselves.
pub fn without_digraphs(symbol: &'static str) -> &'static str {
    match symbol {
        "<:" => "[",
        ":>" => "]",
        "<%" => "{",
        "%>" => "}",
        "%:" => "#",
        "%:%:" => "##",
        other => other,
    }
}

/// Words that cannot be names. GNU's spellings with underscores are the same keyword.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Keyword {
    Alignas,
    Alignof,
    Asm,
    Atomic,
    Attribute,
    Auto,
    AutoType,
    Bool,
    Break,
    BuiltinChooseExpr,
    BuiltinOffsetof,
    BuiltinTypesCompatible,
    BuiltinVaArg,
    BuiltinVaList,
    Case,
    Char,
    Complex,
    Const,
    Continue,
    Default,
    Do,
    Double,
    Else,
    Enum,
    Extension,
    Extern,
    Float,
    /// `_Float128` and the like.
    FloatN(FloatType),
    For,
    FunctionName,
    Generic,
    Goto,
    If,
    Imag,
    Inline,
    Int,
    Int128,
    Label,
    Long,
    Noreturn,
    Real,
    Register,
    Restrict,
    Return,
    Short,
    Signed,
    Sizeof,
    Static,
    StaticAssert,
    Struct,
    Switch,
    ThreadLocal,
    Typedef,
    Typeof,
    Union,
    Unsigned,
    Void,
    Volatile,
    While,
}

impl Keyword {
    /// The keyword that is spelt so.
    pub fn of(text: &str) -> Option<Keyword> {
        BY_SPELLING.get(text).copied()
    }
}

static BY_SPELLING: LazyLock<HashMap<&'static str, Keyword>> = LazyLock::new(|| {
    SPELLINGS.iter().flat_map(|(keyword, all)| all.iter().map(|s| (*s, *keyword))).collect()
});

const SPELLINGS: &[(Keyword, &[&str])] = &[
    (Keyword::Alignas, &["_Alignas"]),
    (Keyword::Alignof, &["_Alignof", "__alignof", "__alignof__"]),
    (Keyword::Asm, &["asm", "__asm", "__asm__"]),
    (Keyword::Atomic, &["_Atomic"]),
    (Keyword::Attribute, &["__attribute", "__attribute__"]),
    (Keyword::Auto, &["auto"]),
    (Keyword::AutoType, &["__auto_type"]),
    (Keyword::Bool, &["_Bool"]),
    (Keyword::Break, &["break"]),
    (Keyword::BuiltinChooseExpr, &["__builtin_choose_expr"]),
    (Keyword::BuiltinOffsetof, &["__builtin_offsetof"]),
    (Keyword::BuiltinTypesCompatible, &["__builtin_types_compatible_p"]),
    (Keyword::BuiltinVaArg, &["__builtin_va_arg"]),
    (Keyword::BuiltinVaList, &["__builtin_va_list"]),
    (Keyword::Case, &["case"]),
    (Keyword::Char, &["char"]),
    (Keyword::Complex, &["_Complex", "__complex", "__complex__"]),
    (Keyword::Const, &["const", "__const", "__const__"]),
    (Keyword::Continue, &["continue"]),
    (Keyword::Default, &["default"]),
    (Keyword::Do, &["do"]),
    (Keyword::Double, &["double"]),
    (Keyword::Else, &["else"]),
    (Keyword::Enum, &["enum"]),
    (Keyword::Extension, &["__extension__"]),
    (Keyword::Extern, &["extern"]),
    (Keyword::Float, &["float"]),
    (Keyword::FloatN(FloatType::Float16), &["_Float16"]),
    (Keyword::FloatN(FloatType::Float32), &["_Float32"]),
    (Keyword::FloatN(FloatType::Float32x), &["_Float32x"]),
    (Keyword::FloatN(FloatType::Float64), &["_Float64"]),
    (Keyword::FloatN(FloatType::Float64x), &["_Float64x"]),
    (Keyword::FloatN(FloatType::Float128), &["_Float128", "__float128"]),
    (Keyword::FloatN(FloatType::Float80), &["__float80"]),
    (Keyword::FloatN(FloatType::Decimal32), &["_Decimal32"]),
    (Keyword::FloatN(FloatType::Decimal64), &["_Decimal64"]),
    (Keyword::FloatN(FloatType::Decimal128), &["_Decimal128"]),
    (Keyword::For, &["for"]),
    (Keyword::FunctionName, &["__func__", "__FUNCTION__", "__PRETTY_FUNCTION__"]),
    (Keyword::Generic, &["_Generic"]),
    (Keyword::Goto, &["goto"]),
    (Keyword::If, &["if"]),
    (Keyword::Imag, &["__imag", "__imag__"]),
    (Keyword::Inline, &["inline", "__inline", "__inline__"]),
    (Keyword::Int, &["int"]),
    (Keyword::Int128, &["__int128"]),
    (Keyword::Label, &["__label__"]),
    (Keyword::Long, &["long"]),
    (Keyword::Noreturn, &["_Noreturn"]),
    (Keyword::Real, &["__real", "__real__"]),
    (Keyword::Register, &["register"]),
    (Keyword::Restrict, &["restrict", "__restrict", "__restrict__"]),
    (Keyword::Return, &["return"]),
    (Keyword::Short, &["short"]),
    (Keyword::Signed, &["signed", "__signed", "__signed__"]),
    (Keyword::Sizeof, &["sizeof"]),
    (Keyword::Static, &["static"]),
    (Keyword::StaticAssert, &["_Static_assert"]),
    (Keyword::Struct, &["struct"]),
    (Keyword::Switch, &["switch"]),
    (Keyword::ThreadLocal, &["_Thread_local", "__thread"]),
    (Keyword::Typedef, &["typedef"]),
    (Keyword::Typeof, &["typeof", "__typeof", "__typeof__"]),
    (Keyword::Union, &["union"]),
    (Keyword::Unsigned, &["unsigned"]),
    (Keyword::Void, &["void"]),
    (Keyword::Volatile, &["volatile", "__volatile", "__volatile__"]),
    (Keyword::While, &["while"]),
];

/// Makes keywords of the words that C23 has made keywords. In older texts they come from headers, as macros, so none is
/// left; or the text declares a `bool` of its own, which then is at the end of a declaration.
pub fn with_new_keywords(tokens: &mut [Token<'_>]) {
    let is_name = |token: &Token<'_>, name: &str| token.kind == TokenKind::Identifier && token.text == name;
    let ends = |token: &Token<'_>| token.kind == TokenKind::Symbol(";");
    let own_bool = tokens.windows(2).any(|pair| is_name(&pair[0], "bool") && ends(&pair[1]));
    for token in tokens.iter_mut().filter(|token| token.kind == TokenKind::Identifier) {
        token.kind = match token.text {
            "bool" if !own_bool => TokenKind::Keyword(Keyword::Bool),
            "static_assert" => TokenKind::Keyword(Keyword::StaticAssert),
            "thread_local" => TokenKind::Keyword(Keyword::ThreadLocal),
            "alignas" => TokenKind::Keyword(Keyword::Alignas),
            "alignof" => TokenKind::Keyword(Keyword::Alignof),
            _ => TokenKind::Identifier,
        };
    }
}
