//! What numbers, character constants and strings stand for.

use super::ast::{CharacterLiteral, Encoding, IntegerLength, IntegerLiteral, Radix, StringLiteral};

/// A number.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Number {
    Integer(IntegerLiteral),
    Float,
}

/// Reads an integer or floating constant; `Err` says what is wrong with it.
pub fn number(text: &str) -> Result<Number, String> {
    let lower = text.to_ascii_lowercase();
    let is_hexadecimal = lower.starts_with("0x");
    let is_float = lower.contains('.')
        || if is_hexadecimal { lower.contains('p') } else { lower.contains('e') && !lower.starts_with("0b") };
    if is_float { float(text, &lower) } else { integer(text, &lower) }
}

fn integer(text: &str, lower: &str) -> Result<Number, String> {
    let (radix, base, rest) = if let Some(rest) = lower.strip_prefix("0x") {
        (Radix::Hexadecimal, 16, rest)
    } else if let Some(rest) = lower.strip_prefix("0b") {
        (Radix::Binary, 2, rest)
    } else if lower.starts_with('0') {
        (Radix::Octal, 8, lower)
    } else {
        (Radix::Decimal, 10, lower)
    };
    // An octal number's wrong digits are not a suffix.
    let digit_base = if base == 8 { 10 } else { base };
    let end = rest.find(|c: char| !c.is_digit(digit_base)).unwrap_or(rest.len());
    let (digits, suffix) = rest.split_at(end);
    let not_a_number = || format!("`{text}` is not a number");
    let (unsigned, length) = match suffix {
        "" => (false, IntegerLength::Int),
        "u" => (true, IntegerLength::Int),
        "l" => (false, IntegerLength::Long),
        "ul" | "lu" => (true, IntegerLength::Long),
        "ll" => (false, IntegerLength::LongLong),
        "ull" | "llu" => (true, IntegerLength::LongLong),
        "i" | "j" => return Err(format!("`{text}` is imaginary, which is not supported")),
        _ => return Err(not_a_number()),
    };
    // The letters were made small, but `lL` is not a suffix.
    let spelling = &text[text.len() - suffix.len()..];
    if spelling.contains("lL")
        || spelling.contains("Ll")
        || digits.is_empty()
        || !digits.chars().all(|c| c.is_digit(base))
    {
        return Err(not_a_number());
    }
    match u64::from_str_radix(digits, base) {
        Ok(value) => Ok(Number::Integer(IntegerLiteral { value, radix, unsigned, length })),
        Err(_) => Err(format!("`{text}` does not fit into 64 bits")),
    }
}

fn float(text: &str, lower: &str) -> Result<Number, String> {
    let (rest, base, exponent) = match lower.strip_prefix("0x") {
        Some(rest) => (rest, 16, 'p'),
        None => (lower, 10, 'e'),
    };
    let digits = |s: &str, base: u32| s.chars().take_while(|c| c.is_digit(base)).count();
    let whole = digits(rest, base);
    let mut at = whole;
    let mut fraction = 0;
    if rest[at..].starts_with('.') {
        fraction = digits(&rest[at + 1..], base);
        at += 1 + fraction;
    }
    let mut is_right = whole + fraction > 0;
    if rest[at..].starts_with(exponent) {
        at += 1;
        at += usize::from(rest[at..].starts_with(['+', '-']));
        let power = digits(&rest[at..], 10);
        is_right &= power > 0;
        at += power;
    } else {
        is_right &= base == 10;
    }
    const SUFFIXES: [&str; 17] = [
        "", "f", "l", "f16", "f32", "f64", "f128", "f32x", "f64x", "q", "w", "df", "dd", "dl", "i", "fi",
        "if",
    ];
    if is_right && SUFFIXES.contains(&&rest[at..]) {
        Ok(Number::Float)
    } else {
        Err(format!("`{text}` is not a number"))
    }
}

/// The prefix, and what is between the quotes.
fn unquote(text: &str) -> (Encoding, &str) {
    let quote = text.find(['"', '\'']).unwrap_or(0);
    let encoding = match &text[..quote] {
        "L" => Encoding::Wide,
        "u" => Encoding::Utf16,
        "U" => Encoding::Utf32,
        "u8" => Encoding::Utf8,
        _ => Encoding::Plain,
    };
    (encoding, text.get(quote + 1..text.len().saturating_sub(1)).unwrap_or(""))
}

/// Reads a character constant; `Err` says what is wrong with it.
pub fn character(text: &str) -> Result<CharacterLiteral, String> {
    let (encoding, content) = unquote(text);
    let mut units = Vec::new();
    decode(content, encoding, &mut units)?;
    let value = match (units.as_slice(), encoding) {
        ([], _) => return Err("a character constant needs a character".to_string()),
        ([unit], Encoding::Plain) => i64::from(*unit as u8 as i8),
        // The first characters of too many are lost.
        (units, Encoding::Plain) => {
            i64::from(units.iter().fold(0u32, |value, unit| (value << 8) | (unit & 0xff)) as i32)
        }
        ([unit], Encoding::Wide) => i64::from(*unit as i32),
        ([unit], Encoding::Utf8 | Encoding::Utf16 | Encoding::Utf32) => i64::from(*unit),
        (_, _) => return Err(format!("{text} holds more than one character")),
    };
    Ok(CharacterLiteral { value, encoding })
}

/// Reads adjacent strings; `Err` says what is wrong with them.
pub fn string<'a>(texts: impl Iterator<Item = &'a str> + Clone) -> Result<StringLiteral, String> {
    let mut encoding = Encoding::Plain;
    for (prefix, _) in texts.clone().map(unquote) {
        if prefix != Encoding::Plain {
            if encoding != Encoding::Plain && encoding != prefix {
                return Err("strings with different prefixes cannot be put together".to_string());
            }
            encoding = prefix;
        }
    }
    let mut units = Vec::new();
    for (_, content) in texts.map(unquote) {
        decode(content, encoding, &mut units)?;
    }
    Ok(StringLiteral { units, encoding })
}

/// The largest unit of an encoding.
fn largest(encoding: Encoding) -> u32 {
    match encoding {
        Encoding::Plain | Encoding::Utf8 => 0xff,
        Encoding::Utf16 => 0xffff,
        Encoding::Utf32 | Encoding::Wide => u32::MAX,
    }
}

fn decode(content: &str, encoding: Encoding, units: &mut Vec<u32>) -> Result<(), String> {
    let mut chars = content.chars().peekable();
    while let Some(c) = chars.next() {
        if c != '\\' {
            encode(c, encoding, units);
            continue;
        }
        let Some(escaped) = chars.next() else { return Err("nothing follows the backslash".to_string()) };
        let byte = match escaped {
            'a' => 7,
            'b' => 8,
            'e' | 'E' => 27,
            'f' => 12,
            'n' => 10,
            'r' => 13,
            't' => 9,
            'v' => 11,
            '\n' => continue,
            '0'..='7' => {
                let mut value = escaped.to_digit(8).unwrap_or(0);
                for _ in 0..2 {
                    if let Some(digit) = chars.peek().and_then(|c| c.to_digit(8)) {
                        value = value * 8 + digit;
                        chars.next();
                    }
                }
                value
            }
            'x' => {
                let mut value: Option<u32> = None;
                while let Some(digit) = chars.peek().and_then(|c| c.to_digit(16)) {
                    let before = value.unwrap_or(0);
                    if before > largest(encoding) >> 4 {
                        return Err("the escape `\\x` gives too large a character".to_string());
                    }
                    value = Some(before << 4 | digit);
                    chars.next();
                }
                value.ok_or("`\\x` needs hexadecimal digits")?
            }
            'u' | 'U' => {
                let length = if escaped == 'u' { 4 } else { 8 };
                let digits: String = chars.by_ref().take(length).collect();
                let value = u32::from_str_radix(&digits, 16).ok().filter(|_| digits.len() == length);
                let Some(c) = value.and_then(char::from_u32) else {
                    return Err(format!("`\\{escaped}{digits}` is not a character"));
                };
                encode(c, encoding, units);
                continue;
            }
            // GCC warns of an unknown escape, and takes the character itself.
            other => {
                encode(other, encoding, units);
                continue;
            }
        };
        if byte > largest(encoding) {
            return Err("the octal escape gives too large a character".to_string());
        }
        units.push(byte);
    }
    Ok(())
}

fn encode(c: char, encoding: Encoding, units: &mut Vec<u32>) {
    match encoding {
        Encoding::Plain | Encoding::Utf8 => {
            units.extend(c.encode_utf8(&mut [0; 4]).bytes().map(u32::from));
        }
        Encoding::Utf16 => units.extend(c.encode_utf16(&mut [0; 2]).iter().map(|u| u32::from(*u))),
        Encoding::Utf32 | Encoding::Wide => units.push(u32::from(c)),
    }
}
