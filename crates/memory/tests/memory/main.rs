//! The reference semantics: its rules, known answers, mistakes that these answers find, C11's axioms. One binary for all of it.

mod c11;
mod language;
mod mutants;
mod rules;
mod wide;
