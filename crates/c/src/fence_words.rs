//! What a program calls its fences: the words that kernels and libraries have for them, where the program has them, and
//! C11's where it has none. A word counts only if what it does here is a fence of its kind: a name alone says nothing.

use crate::{Options, read};
use fencepost_ir::tree::{ExprKind, Fence, FenceKind, ProcedureId, Program, StmtKind};
use fencepost_ir::{Order, Sources};
use std::collections::HashSet;
use std::str::FromStr;

/// A function or macro without arguments, or a whole call, that is a fence.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct FenceWord {
    /// As it is written.
    pub name: String,
    /// What it orders.
    pub kind: FenceKind,
}

impl FromStr for FenceWord {
    type Err = String;

    fn from_str(text: &str) -> Result<FenceWord, String> {
        let (name, kind) = match text.rsplit_once('=') {
            None => (text, FenceKind::Full),
            Some((name, "full")) => (name, FenceKind::Full),
            Some((name, "store-store")) => (name, FenceKind::StoreStore),
            Some(_) => return Err("expected NAME, NAME=full or NAME=store-store".to_string()),
        };
        match name.is_empty() {
            true => Err("expected the name of a function or macro".to_string()),
            false => Ok(FenceWord { name: name.to_string(), kind }),
        }
    }
}

/// A word, and a piece of text that every program has that has the word.
type Known = (&'static str, &'static str, FenceKind);

/// The words that are looked for, those of a library before those of compilers.
const KNOWN: [Known; 9] = [
    ("ck_pr_fence_store_load", "ck_pr_fence", FenceKind::Full),
    ("rte_smp_mb", "rte_smp_mb", FenceKind::Full),
    ("cmm_smp_mb", "cmm_smp_mb", FenceKind::Full),
    ("smp_mb", "smp_mb", FenceKind::Full),
    ("_mm_mfence", "_mm_mfence", FenceKind::Full),
    ("ck_pr_fence_store", "ck_pr_fence", FenceKind::StoreStore),
    ("rte_smp_wmb", "rte_smp_wmb", FenceKind::StoreStore),
    ("cmm_smp_wmb", "cmm_smp_wmb", FenceKind::StoreStore),
    ("smp_wmb", "smp_wmb", FenceKind::StoreStore),
];

/// What C11 has.
const FULL: &str = "atomic_thread_fence(memory_order_seq_cst);";
const STORE_STORE: &str = "atomic_thread_fence(memory_order_release);";

/// A function around a word, to see what it does.
const PROBE: &str = "fencepost_probe";

/// Fences as statements.
pub struct Words {
    full: String,
    store_store: String,
}

impl Default for Words {
    fn default() -> Words {
        Words { full: FULL.to_string(), store_store: STORE_STORE.to_string() }
    }
}

impl Words {
    /// The words of a program, or those that are wanted.
    pub fn of(
        sources: &Sources,
        file: (&str, &str),
        options: &Options,
        wanted: &[FenceWord],
    ) -> Result<Words, String> {
        let mut words = Words::default();
        let has = |piece: &str| sources.files().any(|file| sources.text(file).contains(piece));
        for kind in [FenceKind::Full, FenceKind::StoreStore] {
            let word = match wanted.iter().find(|word| word.kind == kind) {
                Some(word) => {
                    let statement = statement(&word.name);
                    if !is_fence(file, options, &statement, kind) {
                        return Err(format!("{}: `{}` is not such a fence here", file.0, word.name));
                    }
                    Some(statement)
                }
                None => {
                    let known = KNOWN.iter().filter(|(_, piece, of)| *of == kind && has(piece));
                    let mut statements = known.map(|(name, ..)| statement(name));
                    statements.find(|statement| is_fence(file, options, statement, kind))
                }
            };
            match (word, kind) {
                (None, _) => {}
                (Some(word), FenceKind::Full) => words.full = word,
                (Some(word), FenceKind::StoreStore) => words.store_store = word,
            }
        }
        Ok(words)
    }

    pub fn statement(&self, kind: FenceKind) -> &str {
        match kind {
            FenceKind::Full => &self.full,
            FenceKind::StoreStore => &self.store_store,
        }
    }

    /// Whether the word is one of a header that may be missing.
    pub fn needs_header(&self, kind: FenceKind) -> bool {
        self.statement(kind).starts_with("atomic_thread_fence")
    }
}

fn statement(name: &str) -> String {
    if name.contains('(') { format!("{name};") } else { format!("{name}();") }
}

/// Whether a statement at the end of a file is a fence of a kind.
fn is_fence((name, text): (&str, &str), options: &Options, statement: &str, kind: FenceKind) -> bool {
    let probe = format!("__attribute__((constructor)) static void {PROBE}(void) {{ {statement} }}");
    let text = format!("{text}\n{probe}\n");
    let Ok(program) = read(&[(name, &text)], options) else { return false };
    let found = program.procedures.iter().position(|procedure| procedure.name == PROBE);
    found.is_some_and(|id| orders(&program, ProcedureId(id), kind, &mut HashSet::new()))
}

/// Whether a procedure, or what it calls, has a fence of a kind.
fn orders(program: &Program, id: ProcedureId, kind: FenceKind, seen: &mut HashSet<ProcedureId>) -> bool {
    if !seen.insert(id) {
        return false;
    }
    let (mut found, mut called) = (false, Vec::new());
    program.procedure(id).body.visit(&mut |stmt| {
        if let StmtKind::Fence(fence) = &stmt.kind {
            found |= is_of(*fence, kind);
        }
        for e in stmt.kind.expressions() {
            e.visit(&mut |e| {
                if let ExprKind::Call(callee, _) = &e.kind {
                    called.push(*callee);
                }
            });
        }
    });
    found || called.into_iter().any(|callee| orders(program, callee, kind, seen))
}

fn is_of(fence: Fence, kind: FenceKind) -> bool {
    match (fence, kind) {
        (Fence::Machine(FenceKind::Full) | Fence::Thread(Order::SeqCst), _) => true,
        (Fence::Machine(FenceKind::StoreStore), kind) => kind == FenceKind::StoreStore,
        (Fence::Thread(order), kind) => {
            kind == FenceKind::StoreStore && matches!(order, Order::Release | Order::AcqRel)
        }
    }
}
