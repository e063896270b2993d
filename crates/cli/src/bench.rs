//! `fencepost bench`: published tables, measured again.

use crate::options::{BenchName, BenchOptions, PlainFormat};
use crate::{Exit, output};
use fencepost_bench::{Format, Options, Table};

pub fn run(options: &BenchOptions) -> Exit {
    let table = match options.name {
        BenchName::Explore => Table::Explore,
        BenchName::Dual => Table::Dual,
        BenchName::Litmus => Table::Litmus,
        BenchName::Lazy => Table::Lazy,
        BenchName::Bmc => Table::Bmc,
        BenchName::Auto => Table::Auto,
        BenchName::Translate => Table::Translate,
    };
    let wanted = Options {
        files: options.files.clone(),
        read: options.input.meant(),
        all: options.all,
        format: match options.format {
            PlainFormat::Text => Format::Text,
            PlainFormat::Json => Format::Json,
        },
        print: &|line| output::line(line),
    };
    match fencepost_bench::run(table, &wanted) {
        Ok(()) => Exit::Good,
        Err(message) => output::refuse(message),
    }
}
