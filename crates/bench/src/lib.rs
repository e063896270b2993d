//! Published tables, measured again, with other tools in the same run where they are
//! installed. Counts do not depend on the machine; times compare within one run only.
//!
//! ```
//! use fencepost_bench::{Format, Options, Table, run};
//! use fencepost_verify::ReadOptions;
//!
//! let print = |line: &dyn std::fmt::Display| println!("{line}");
//! let options = Options {
//!     files: vec!["lock.c".into()],
//!     read: ReadOptions::default(),
//!     all: false,
//!     format: Format::Text,
//!     print: &print,
//! };
//! assert!(run(Table::Dual, &options).is_err(), "this table has programs of its own");
//! ```

mod auto;
mod bmc;
mod dual;
mod explore;
mod families;
mod lazy;
mod lazy_families;
mod litmus;
mod memorax;
mod peer;
mod promela;
mod translate;

use fencepost_report::results::{self, MissingPeer, Schema};
use fencepost_verify::ReadOptions;
use serde::Serialize;
use std::fmt::Display;
use std::path::PathBuf;

/// What is measured.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Table {
    /// Explicit search, beside spin.
    Explore,
    /// The dual engine on the tables of its paper.
    Dual,
    /// Litmus tests, beside herd7.
    Litmus,
    /// The lazy engine and robustness on the figures of their paper, beside trencher.
    Lazy,
    /// Bounded model checking on the tables of its paper, beside cbmc.
    Bmc,
    /// The portfolio beside each engine, on files.
    Auto,
    /// Translations to SC on the table of their paper, beside cbmc.
    Translate,
}

impl Table {
    /// The other tool whose results are beside ours, if there is one.
    fn peer(self) -> Option<&'static str> {
        match self {
            Table::Explore => Some("spin"),
            Table::Dual => Some("memorax"),
            Table::Litmus => Some("herd7"),
            Table::Lazy => Some("trencher"),
            Table::Bmc | Table::Translate => Some("cbmc"),
            Table::Auto => None,
        }
    }
}

/// How rows are written.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Format {
    /// For people.
    Text,
    /// One JSON object a line.
    Json,
}

/// What is wanted.
pub struct Options<'a> {
    /// Programs for [`Table::Auto`]; the examples where there are none.
    pub files: Vec<PathBuf>,
    /// How they are read.
    pub read: ReadOptions,
    /// Also the rows that take minutes.
    pub all: bool,
    /// How rows are written.
    pub format: Format,
    /// Who gets them, line by line.
    pub print: &'a dyn Fn(&dyn Display),
}

impl Options<'_> {
    fn print(&self, line: impl Display) {
        (self.print)(&line);
    }

    /// A row for scripts.
    fn row(&self, row: &impl Serialize) {
        self.print(results::line(row));
    }

    /// Says that a tool is missing: nothing stands in for it.
    fn missing(&self, peer: &str) {
        match self.format {
            Format::Text => self.print(format!("{peer} is not installed: its results are left out")),
            Format::Json => self.row(&MissingPeer { schema: Schema, missing: peer.to_string() }),
        }
    }
}

/// Measures a table; or says why that cannot be done.
pub fn run(table: Table, options: &Options<'_>) -> Result<(), String> {
    if !options.files.is_empty() && table != Table::Auto {
        return Err("only `bench auto` takes files; the other tables have their own programs".to_string());
    }
    if let Some(peer) = table.peer().filter(|peer| !peer::is_installed(peer)) {
        options.missing(peer);
    }
    match table {
        Table::Auto => auto::run(options),
        Table::Bmc => bmc::run(options),
        Table::Dual => dual::run(options),
        Table::Explore => explore::run(options),
        Table::Litmus => litmus::run(options),
        Table::Lazy => lazy::run(options),
        Table::Translate => translate::run(options),
    }
}
