//! The blocks of a function while it is lowered, and what is declared in them: for every variable of an inner block there are
//! statements where the block begins and ends. The pass `lifetime` makes of them what it takes.

use super::*;

/// The blocks of a function.
#[derive(Default)]
pub(crate) struct Blocks {
    blocks: Vec<OneBlock>,
    /// The blocks around, innermost last.
    open: Vec<usize>,
}

#[derive(Default)]
struct OneBlock {
    /// Variables that live as long as the block.
    variables: Vec<LocalId>,
    /// Pointers to memory that is gone with the block.
    pointers: Vec<LocalId>,
}

/// Statements for the beginning and for the end of a block.
pub(crate) struct Ends {
    pub enter: Vec<Stmt>,
    pub leave: Vec<Stmt>,
}

impl Blocks {
    /// A block begins in the one around.
    pub fn open(&mut self) {
        self.blocks.push(OneBlock::default());
        self.open.push(self.blocks.len() - 1);
    }

    /// The innermost open block ends. Gives the statements that belong to its beginning and its end, for the function's
    /// locals.
    pub fn close(&mut self, locals: &[Variable]) -> Ends {
        let block = self.open.pop().expect("a block that ends has begun");
        let OneBlock { variables, pointers, .. } = &self.blocks[block];
        let stmt =
            |kind: fn(LocalId) -> StmtKind, id: &LocalId| Stmt { kind: kind(*id), span: locals[id.0].span };
        Ends {
            enter: variables.iter().rev().map(|id| stmt(StmtKind::Enter, id)).collect(),
            leave: variables.iter().chain(pointers).rev().map(|id| stmt(StmtKind::Leave, id)).collect(),
        }
    }

    /// A local variable lives as long as the innermost open block. Those of the whole function end with it anyway.
    pub fn begins_with_block(&mut self, local: LocalId) {
        if let Some(block @ 1..) = self.open.last().copied() {
            self.blocks[block].variables.push(local);
        }
    }

    /// The memory that a local points to is gone when the innermost open block ends.
    pub fn ends_with_block(&mut self, local: LocalId) {
        if let Some(block) = self.open.last() {
            self.blocks[*block].pointers.push(local);
        }
    }

    /// How many blocks there are.
    pub fn count(&self) -> usize {
        self.blocks.len()
    }

    /// What the blocks from `first` on declare is still used after their end, as the value of an expression: these locals
    /// live on.
    pub fn outlived(&mut self, first: usize) -> HashSet<LocalId> {
        let blocks = self.blocks[first..].iter_mut();
        blocks
            .flat_map(|b| std::mem::take(&mut b.variables).into_iter().chain(std::mem::take(&mut b.pointers)))
            .collect()
    }
}
