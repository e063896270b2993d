//! What is asked of a program, as the user names it, and what follows from that: which errors are reported, and what
//! is looked for besides.

use fencepost_ir::{Check, Checks};
use std::str::FromStr;

/// A property that is asked for by name.
#[derive(Clone, PartialEq, Eq, Hash, Debug, PartialOrd, Ord)]
pub enum Property {
    /// Assertions hold, and so do the conditions of models and litmus tests.
    Assert,
    /// No access outside of living objects, and nothing else is freed.
    Memory,
    /// No data race.
    Races,
    /// No deadlock.
    Deadlock,
    /// No memory is lost at the end.
    Leaks,
    /// The program ends with status 0.
    Exit,
    /// No arithmetic error: signed overflow, division by zero, a shift by the width or more.
    Overflow,
    /// This function or label is not reached.
    Reach(String),
}

/// The properties without a name of their own.
const PLAIN: [(&str, Property); 7] = [
    ("assert", Property::Assert),
    ("memory", Property::Memory),
    ("races", Property::Races),
    ("deadlock", Property::Deadlock),
    ("leaks", Property::Leaks),
    ("exit", Property::Exit),
    ("overflow", Property::Overflow),
];

impl FromStr for Property {
    type Err = String;

    fn from_str(text: &str) -> Result<Property, String> {
        if let Some(name) = text.strip_prefix("reach=") {
            let is_letter = |c: char| c.is_alphanumeric() || c == '_' || c == '$';
            let is_name = name.chars().all(is_letter) && !name.starts_with(|c: char| c.is_ascii_digit());
            return match is_name && !name.is_empty() {
                true => Ok(Property::Reach(name.to_string())),
                false => Err("expected the name of a function or label after `reach=`".to_string()),
            };
        }
        let found = PLAIN.into_iter().find(|(name, _)| *name == text);
        found.map(|(_, property)| property).ok_or_else(|| {
            let names = PLAIN.map(|(name, _)| name).join(", ");
            format!("known are {names} and reach=NAME")
        })
    }
}

impl Property {
    /// The errors that it is about.
    fn checks(&self) -> &'static [Check] {
        match self {
            Property::Assert => &[Check::Assertion],
            Property::Memory => &[Check::Pointer, Check::Bounds, Check::UseAfterFree, Check::Free],
            Property::Overflow => &[Check::Range, Check::Division, Check::Shift],
            Property::Exit => &[Check::Exit],
            Property::Reach(_) => &[Check::Reach],
            Property::Races | Property::Deadlock | Property::Leaks => &[],
        }
    }
}

/// All that is asked of a program. By default every error is reported, but races, deadlocks, leaks, overflow and the exit status
/// are not looked at.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Asked {
    /// What is looked for in a program as engines take it.
    pub checks: Checks,
    /// Whether signed overflow is an error; else it wraps.
    pub overflow: bool,
    /// Whether a status that is not 0 is an error.
    pub exit: bool,
    /// Functions and labels that must not be reached.
    pub reach: Vec<String>,
}

impl Asked {
    /// These properties and nothing else.
    pub fn only(properties: &[Property]) -> Asked {
        let off = Check::ALL.to_vec();
        let mut asked = Asked { checks: Checks { off, ..Checks::default() }, ..Asked::default() };
        properties.iter().for_each(|property| asked.add(property));
        asked
    }

    /// This property, too.
    pub fn add(&mut self, property: &Property) {
        self.checks.off.retain(|check| !property.checks().contains(check));
        match property {
            Property::Assert | Property::Memory => {}
            Property::Races => self.checks.races = true,
            Property::Deadlock => self.checks.deadlock = true,
            Property::Leaks => self.checks.leaks = true,
            Property::Exit => self.exit = true,
            Property::Overflow => self.overflow = true,
            Property::Reach(name) => self.reach.push(name.clone()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_property_alone_switches_off_the_errors_of_the_others() {
        let asked = Asked::only(&["memory".parse().unwrap()]);
        assert!(asked.checks.reports(Check::UseAfterFree) && !asked.checks.reports(Check::Assertion));
        assert!(!asked.checks.races && !asked.overflow && !asked.exit);
        let asked = Asked::only(&["reach=f".parse().unwrap(), Property::Races]);
        assert_eq!(asked.reach, ["f"]);
        assert!(
            asked.checks.races && asked.checks.reports(Check::Reach) && !asked.checks.reports(Check::Free)
        );
    }

    #[test]
    fn what_is_no_property_is_refused() {
        for text in ["", "asserts", "reach=", "reach=1x", "reach=a b"] {
            assert!(text.parse::<Property>().is_err(), "{text}");
        }
    }
}
