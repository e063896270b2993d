//! The blocks of a function, and what is declared in them. Lowering notes them as it goes; the pass `lifetime` asks.
//!
//! The outermost block is the first one; all that a function has is in it.

use super::*;

/// The blocks of a function.
#[derive(Default)]
pub(crate) struct Blocks {
    blocks: Vec<OneBlock>,
    /// The blocks around, innermost last.
    open: Vec<usize>,
    /// The block that each local stands in.
    of: HashMap<LocalId, usize>,
}

#[derive(Default)]
struct OneBlock {
    parent: Option<usize>,
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
        let parent = self.open.last().copied();
        self.blocks.push(OneBlock { parent, ..OneBlock::default() });
        self.open.push(self.blocks.len() - 1);
    }

    /// The innermost open block ends. Gives the statements that belong to its beginning and its end, for the function's
    /// locals.
    pub fn close(&mut self, locals: &[Variable]) -> Ends {
        let block = self.open.pop().expect("a block that ends has begun");
        let OneBlock { variables, pointers, .. } = &self.blocks[block];
        let ids = || variables.iter().chain(pointers).rev();
        let stmt =
            |kind: fn(LocalId) -> StmtKind, id: &LocalId| Stmt { kind: kind(*id), span: locals[id.0].span };
        Ends {
            enter: ids().map(|id| stmt(StmtKind::Enter, id)).collect(),
            leave: ids().map(|id| stmt(StmtKind::Leave, id)).collect(),
        }
    }

    /// A local stands in the innermost open block.
    pub fn note(&mut self, local: LocalId) {
        if let Some(block) = self.open.last() {
            self.of.insert(local, *block);
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

    /// What the blocks from `first` on declare is still used after their end, as the value of an expression.
    pub fn outlived(&mut self, first: usize) {
        for block in &mut self.blocks[first..] {
            block.variables.clear();
            block.pointers.clear();
        }
    }

    /// The variables that live as long as an inner block.
    pub(super) fn variables(&self) -> impl Iterator<Item = LocalId> {
        self.blocks.iter().flat_map(|b| &b.variables).copied()
    }

    /// The pointers to memory that is gone with a block.
    pub(super) fn pointers(&self) -> impl Iterator<Item = LocalId> {
        self.blocks.iter().flat_map(|b| &b.pointers).copied()
    }

    /// Whether a local is gone, or is another one, when the block of `local` has been left.
    pub(super) fn is_inside(&self, other: LocalId, local: LocalId) -> bool {
        let Some(outer) = self.of.get(&local) else { return false };
        let mut block = self.of.get(&other).copied();
        while let Some(inner) = block {
            if inner == *outer {
                return true;
            }
            block = self.blocks[inner].parent;
        }
        false
    }
}
