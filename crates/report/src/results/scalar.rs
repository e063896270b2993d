//! Values that results have in common.

use fencepost_task::{Bounds, Scope};
use serde::de::{self, Deserialize, Deserializer, MapAccess, Visitor};
use serde::ser::{Serialize, SerializeMap, Serializer};
use std::fmt;
use std::marker::PhantomData;

/// The version of the format, 1. Readers refuse another.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Schema;

impl Serialize for Schema {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_u64(1)
    }
}

impl<'de> Deserialize<'de> for Schema {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Schema, D::Error> {
        match u64::deserialize(deserializer)? {
            1 => Ok(Schema),
            other => Err(de::Error::custom(format!("schema {other} is not supported, only schema 1"))),
        }
    }
}

/// Wall-clock time in seconds, to the microsecond.
#[derive(Clone, Copy, PartialEq, Debug, serde::Serialize, serde::Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(transparent)]
pub struct Seconds(pub f64);

impl Seconds {
    /// Rounds.
    pub fn rounded(seconds: f64) -> Seconds {
        Seconds((seconds * 1e6).round() / 1e6)
    }
}

/// An integer of a program, signed or unsigned.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Integer(pub i128);

impl Serialize for Integer {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match (i64::try_from(self.0), u64::try_from(self.0)) {
            (Ok(value), _) => serializer.serialize_i64(value),
            (_, Ok(value)) => serializer.serialize_u64(value),
            _ => Err(serde::ser::Error::custom("every value of a program has 64 bits")),
        }
    }
}

impl<'de> Deserialize<'de> for Integer {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Integer, D::Error> {
        struct Read;
        impl Visitor<'_> for Read {
            type Value = Integer;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an integer")
            }

            fn visit_i64<E>(self, value: i64) -> Result<Integer, E> {
                Ok(Integer(value.into()))
            }

            fn visit_u64<E>(self, value: u64) -> Result<Integer, E> {
                Ok(Integer(value.into()))
            }
        }
        deserializer.deserialize_any(Read)
    }
}

/// How far a verdict reaches: the word `complete`, or the bounds within which it holds.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ScopeResult(pub Scope);

const COMPLETE: &str = "complete";

impl Serialize for ScopeResult {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self.0 {
            Scope::Complete => serializer.serialize_str(COMPLETE),
            Scope::UpTo(bounds) => serializer.collect_map(bounds.named()),
        }
    }
}

impl<'de> Deserialize<'de> for ScopeResult {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<ScopeResult, D::Error> {
        struct Read;
        impl<'de> Visitor<'de> for Read {
            type Value = ScopeResult;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                write!(f, "`{COMPLETE}` or bounds")
            }

            fn visit_str<E: de::Error>(self, text: &str) -> Result<ScopeResult, E> {
                match text == COMPLETE {
                    true => Ok(ScopeResult(Scope::Complete)),
                    false => Err(E::invalid_value(de::Unexpected::Str(text), &self)),
                }
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<ScopeResult, A::Error> {
                let mut bounds = Bounds::default();
                while let Some((name, value)) = map.next_entry::<String, u32>()? {
                    // A bound of a later version still is one: the verdict is not complete.
                    bounds.set(&name, value);
                }
                Ok(ScopeResult(Scope::UpTo(bounds)))
            }
        }
        deserializer.deserialize_any(Read)
    }
}

/// An object whose keys are data, in their order.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Ordered<K, V>(pub Vec<(K, V)>);

impl<K, V> Default for Ordered<K, V> {
    fn default() -> Ordered<K, V> {
        Ordered(Vec::new())
    }
}

impl<K: Serialize, V: Serialize> Serialize for Ordered<K, V> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(Some(self.0.len()))?;
        for (key, value) in &self.0 {
            map.serialize_entry(key, value)?;
        }
        map.end()
    }
}

impl<'de, K: Deserialize<'de>, V: Deserialize<'de>> Deserialize<'de> for Ordered<K, V> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Ordered<K, V>, D::Error> {
        struct Read<K, V>(PhantomData<(K, V)>);
        impl<'de, K: Deserialize<'de>, V: Deserialize<'de>> Visitor<'de> for Read<K, V> {
            type Value = Ordered<K, V>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an object")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Ordered<K, V>, A::Error> {
                let mut entries = Vec::new();
                while let Some(entry) = map.next_entry()? {
                    entries.push(entry);
                }
                Ok(Ordered(entries))
            }
        }
        deserializer.deserialize_map(Read(PhantomData))
    }
}

#[cfg(test)]
mod tests {
    use super::{Integer, Ordered, Schema, ScopeResult};
    use fencepost_task::{Bounds, Scope};

    #[test]
    fn scopes_are_read_back() {
        let bounds = Bounds { rounds: Some(3), unwind: Some(2), ..Bounds::default() };
        for (scope, text) in
            [(Scope::Complete, "\"complete\""), (Scope::UpTo(bounds), "{\"unwind\":2,\"rounds\":3}")]
        {
            assert_eq!(serde_json::to_string(&ScopeResult(scope)).unwrap(), text);
            assert_eq!(serde_json::from_str::<ScopeResult>(text).unwrap(), ScopeResult(scope));
        }
        assert!(serde_json::from_str::<ScopeResult>("\"half\"").is_err());
        let later = serde_json::from_str::<ScopeResult>("{\"laps\":2}").unwrap();
        assert_ne!(later.0, Scope::Complete);
    }

    #[test]
    fn integers_have_64_bits_with_or_without_a_sign() {
        for text in ["-9223372036854775808", "18446744073709551615", "0"] {
            let value: Integer = serde_json::from_str(text).unwrap();
            assert_eq!(serde_json::to_string(&value).unwrap(), text);
        }
        assert!(serde_json::from_str::<Integer>("1.5").is_err());
        assert!(serde_json::from_str::<Integer>("\"1\"").is_err());
    }

    #[test]
    fn another_schema_is_refused_and_order_is_kept() {
        assert!(serde_json::from_str::<Schema>("2").is_err());
        let text = "{\"b\":1,\"a\":2}";
        let map: Ordered<String, u8> = serde_json::from_str(text).unwrap();
        assert_eq!(serde_json::to_string(&map).unwrap(), text);
    }
}
