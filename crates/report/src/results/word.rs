//! Words of results: enums by the names that they have on the command line, too.

use crate::litmus::{Method, Observation};
use crate::robust::Criterion;
use crate::{ResultKind, TookPart};
use fencepost_certify::{Because, Relation};
use fencepost_ir::cfg::FenceKind;
use fencepost_memory::axiom::c11::ReleaseSequences;
use fencepost_memory::run_graph::What;
use fencepost_task::certificate::CertifiedLife;
use fencepost_task::{AnyModel, EngineChoice, EngineId, Model, VerdictKind};
use serde::de::{Deserialize, Deserializer, Error};
use serde::ser::{Serialize, Serializer};
use std::borrow::Cow;

/// An enum whose values have names.
pub trait Vocabulary: Copy + Sized + 'static {
    /// What a value is, for messages.
    const WHAT: &'static str;

    /// All values.
    fn all() -> Vec<Self>;

    /// The name of a value.
    fn word(self) -> &'static str;
}

/// A value that JSON writes by its name.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, PartialOrd, Ord)]
pub struct Word<T>(pub T);

impl<T: Vocabulary> Serialize for Word<T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.0.word())
    }
}

impl<'de, T: Vocabulary> Deserialize<'de> for Word<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Word<T>, D::Error> {
        let text = Cow::<'de, str>::deserialize(deserializer)?;
        let found = T::all().into_iter().find(|value| value.word() == text);
        found.map(Word).ok_or_else(|| {
            let words: Vec<_> = T::all().into_iter().map(|value| format!("`{}`", value.word())).collect();
            D::Error::custom(format!("`{text}` is no {}: expected {}", T::WHAT, words.join(", ")))
        })
    }
}

macro_rules! vocabulary {
    ($type:ty, $what:literal, $all:expr) => {
        impl Vocabulary for $type {
            const WHAT: &'static str = $what;

            fn all() -> Vec<$type> {
                $all.to_vec()
            }

            fn word(self) -> &'static str {
                self.name()
            }
        }
    };
}

impl From<Model> for Word<AnyModel> {
    fn from(model: Model) -> Word<AnyModel> {
        Word(model.into())
    }
}

vocabulary!(Model, "memory model", Model::ALL);
vocabulary!(AnyModel, "memory model", AnyModel::ALL);
vocabulary!(ReleaseSequences, "kind of release sequences", [ReleaseSequences::Cxx20, ReleaseSequences::C11]);
vocabulary!(VerdictKind, "verdict", VerdictKind::ALL);
vocabulary!(Method, "method", Method::ALL);
vocabulary!(EngineId, "engine", EngineId::ALL);
vocabulary!(ResultKind, "verdict", ResultKind::ALL);
vocabulary!(TookPart, "status of an engine", TookPart::ALL);
vocabulary!(Observation, "observation", Observation::ALL);
vocabulary!(Criterion, "criterion", [Criterion::Traces, Criterion::TriangularRaces]);
vocabulary!(Relation, "relation", [Relation::ProgramOrder, Relation::Conflict]);
vocabulary!(Because, "relation", Because::ALL);

impl Vocabulary for EngineChoice {
    const WHAT: &'static str = "engine";

    fn all() -> Vec<EngineChoice> {
        let engines = EngineId::ALL.into_iter().map(EngineChoice::Only);
        std::iter::once(EngineChoice::Auto).chain(engines).collect()
    }

    fn word(self) -> &'static str {
        self.name()
    }
}

impl Vocabulary for FenceKind {
    const WHAT: &'static str = "kind of fence";

    fn all() -> Vec<FenceKind> {
        vec![FenceKind::Full, FenceKind::StoreStore]
    }

    fn word(self) -> &'static str {
        match self {
            FenceKind::Full => "full",
            FenceKind::StoreStore => "store-store",
        }
    }
}

impl Vocabulary for What {
    const WHAT: &'static str = "access";

    fn all() -> Vec<What> {
        vec![What::Read, What::Write, What::Update]
    }

    fn word(self) -> &'static str {
        match self {
            What::Read => "read",
            What::Write => "write",
            What::Update => "read-modify-write",
        }
    }
}

impl Vocabulary for CertifiedLife {
    const WHAT: &'static str = "end of a thread";

    fn all() -> Vec<CertifiedLife> {
        vec![CertifiedLife::Running, CertifiedLife::Ended, CertifiedLife::Failed]
    }

    fn word(self) -> &'static str {
        match self {
            CertifiedLife::Running => "running",
            CertifiedLife::Ended => "ended",
            CertifiedLife::Failed => "failed",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{AnyModel, EngineChoice, Vocabulary, Word};

    #[test]
    fn words_are_read_back_and_others_refused() {
        for model in AnyModel::all() {
            let text = serde_json::to_string(&Word(model)).unwrap();
            assert_eq!(serde_json::from_str::<Word<AnyModel>>(&text).unwrap(), Word(model));
        }
        assert_eq!(serde_json::to_string(&Word(EngineChoice::Auto)).unwrap(), "\"auto\"");
        let wrong = serde_json::from_str::<Word<AnyModel>>("\"arm\"").unwrap_err().to_string();
        assert!(wrong.starts_with("`arm` is no memory model: expected `sc`, `tso`"), "{wrong}");
    }
}
