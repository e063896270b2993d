//! Tree to tree: gives each template `[*]` the number of threads that the user asked for.

use fencepost_ir::tree::{Count, Program};

/// Replaces any number by `threads`, if that is given.
pub fn run(program: &mut Program, threads: Option<u32>) {
    let Some(n) = threads else { return };
    for thread in program.threads.iter_mut().filter(|t| t.count == Count::Any) {
        thread.count = Count::Times(n);
    }
}
