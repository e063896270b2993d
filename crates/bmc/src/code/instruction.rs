//! What each instruction does to its thread: registers, conditions, faults, and what it asks of memory (`access.rs`).

use super::access::Forwarding;
use super::{Encoder, PendingJoin, Stepping, choice};
use crate::circuit::Lit;
use crate::expression::Evaluation;
use crate::word::Word;
use fencepost_analysis::bounded::{Refusal, access_type};
use fencepost_analysis::values::Values;
use fencepost_ir::Scalar;
use fencepost_ir::cfg::{Dest, Drain, Expr, FenceKind, Instr, Reg};
use fencepost_task::Model;

impl Encoder<'_, '_> {
    pub(super) fn step(
        &mut self,
        s: &mut Stepping<'_, '_>,
        nesting: u32,
        results: &mut Vec<(Lit, Word)>,
    ) -> Result<(), Refusal> {
        let step = s.step;
        let frame = s.frame;
        match &step.edge.instr {
            Instr::Nop | Instr::Choose => {}
            Instr::Assign(dest, value) => {
                let value = self.value(s, value);
                self.set(s, frame, dest, value);
            }
            Instr::Load(dest, address) => {
                let targets = self.targets(s, address);
                let (mut value, written) = self.read(s, address, &targets, Forwarding::Yes);
                if written != Lit::TRUE {
                    let access = targets.first().map(|(_, row)| access_type(address, row.ty()));
                    match access {
                        Some(ty @ Scalar::Int(_)) => {
                            let any = Word::one_of(&Values::of(ty), &mut self.code.circuit);
                            value = Word::choose(written, &value, &any, &mut self.code.circuit);
                            s.choice = Some(any);
                        }
                        _ => s.late.limit(!written, &mut self.code.circuit),
                    }
                }
                self.set(s, frame, dest, value);
            }
            Instr::Store(address, value) => {
                let value = self.value(s, value);
                let targets = self.targets(s, address);
                self.check_lives(s, &targets);
                self.store(s, address, &targets, Lit::TRUE, &value, true);
            }
            Instr::Rmw(dest, address, op) => {
                self.drain(s);
                let targets = self.targets(s, address);
                let (old, written) = self.read(s, address, &targets, Forwarding::No);
                s.late.limit(!written, &mut self.code.circuit);
                let first = self.first_register();
                let (state, early) = (s.state.clone(), s.early);
                let registers = |reg: Reg| match reg {
                    Reg::Local(slot) => state[first + frame.base + slot as usize].clone(),
                    Reg::Thread(slot) => state[first + slot as usize].clone(),
                };
                let ty = targets.first().map_or(Scalar::Integer, |(_, row)| access_type(address, row.ty()));
                let mut evaluation =
                    Evaluation { circuit: &mut self.code.circuit, registers: &registers, faults: s.late };
                let (new, writes) = evaluation.rmw(op, ty, &old);
                s.late = evaluation.faults;
                s.early = early;
                if let Some(dest) = dest {
                    self.set(s, frame, dest, old);
                }
                self.store(s, address, &targets, writes, &new, false);
            }
            Instr::Fence(FenceKind::Full) => self.drain(s),
            Instr::Fence(FenceKind::StoreStore) => {
                if self.plan.model == Model::Pso {
                    s.access.orders_stores = true;
                    s.is_visible = true;
                }
            }
            Instr::Assume(condition) => {
                s.condition = self.value(s, condition).is_nonzero(&mut self.code.circuit);
            }
            Instr::Assert(condition, _) => {
                let holds = self.value(s, condition).is_nonzero(&mut self.code.circuit);
                s.early.error(!holds, &mut self.code.circuit);
            }
            Instr::Havoc(dest, choices) => {
                let word = choice(&mut self.code.circuit, choices);
                s.choice = Some(word.clone());
                self.set(s, frame, dest, word);
            }
            Instr::Lock(address) => {
                self.drain(s);
                let targets = self.targets(s, address);
                let (held, _) = self.read(s, address, &targets, Forwarding::No);
                s.unless_blocked = !held.is_nonzero(&mut self.code.circuit);
                if !s.is_visible {
                    s.condition = s.unless_blocked;
                }
                let owner = Word::constant(self.thread as i128 + 1);
                self.store(s, address, &targets, Lit::TRUE, &owner, false);
            }
            Instr::Unlock(address) => {
                self.drain(s);
                let targets = self.targets(s, address);
                let (held, _) = self.read(s, address, &targets, Forwarding::No);
                let own = held.equals(&Word::constant(self.thread as i128 + 1), &mut self.code.circuit);
                s.late.error(!own, &mut self.code.circuit);
                self.store(s, address, &targets, Lit::TRUE, &Word::constant(0), false);
            }
            Instr::Spawn(dest, _, args, drain) => {
                if *drain == Drain::Yes {
                    self.drain(s);
                }
                s.is_visible = true;
                let args: Vec<_> = args.iter().map(|a| self.value(s, a)).collect();
                let child = s.facts.starts.expect("the analysis has made the thread");
                self.arguments[child] = args;
                if let Some(dest) = dest {
                    self.set(s, frame, dest, Word::constant(child as i128));
                }
            }
            Instr::Own(dest) => self.set(s, frame, dest, Word::constant(self.thread as i128)),
            Instr::Join(dest, handle) => self.join(s, dest.as_ref(), handle)?,
            Instr::Call(_, _, args) => {
                let args: Vec<_> = args.iter().map(|a| self.value(s, a)).collect();
                if let Some(entered) = step.enters {
                    let code = &self.plan.analysis.instances[self.thread].code;
                    let procedure = self.plan.analysis.program.procedure(code.frames[entered].procedure);
                    let given = args.len();
                    s.state.extend(args);
                    let rest = procedure.registers[given..].iter();
                    s.state.extend(rest.map(|r| Word::constant(r.init.into())));
                }
            }
            Instr::Return(value) | Instr::Exit(value) => {
                let value = value.as_ref().map(|v| self.value(s, v));
                self.leave(s, value, results);
            }
            Instr::AtomicBegin(drain) => {
                s.is_visible = true;
                if *drain == Drain::Yes {
                    self.drain(s);
                }
            }
            Instr::AtomicEnd(drain) => {
                if nesting == 0 {
                    s.early.error(Lit::TRUE, &mut self.code.circuit);
                } else if *drain == Drain::Yes {
                    self.drain(s);
                }
            }
            Instr::Allocate { dest, bytes, fill, .. } => {
                let bytes = self.value(s, bytes);
                let word = self.allocate(s, &bytes, *fill);
                self.set(s, frame, dest, word);
            }
            Instr::Free(pointer, storage) => {
                self.free(s, pointer, *storage);
            }
            Instr::Reallocate { dest, pointer, bytes, .. } => {
                let word = self.reallocate(s, pointer, bytes);
                self.set(s, frame, dest, word);
            }
            Instr::Halt => {
                self.drain(s);
                s.is_visible = true;
                s.halts = true;
            }
        }
        Ok(())
    }

    fn leave(&mut self, s: &mut Stepping<'_, '_>, value: Option<Word>, results: &mut Vec<(Lit, Word)>) {
        let code = &self.plan.analysis.instances[self.thread].code;
        let is_exit = matches!(s.step.edge.instr, Instr::Exit(_));
        let Some((caller, call)) = s.frame.caller.filter(|_| !is_exit) else {
            self.drain(s);
            results.push((s.path, value.unwrap_or(Word::constant(0))));
            let outermost = &code.frames[0];
            let procedure = self.plan.analysis.program.procedure(outermost.procedure);
            let len = self.first_register() + outermost.base + procedure.registers.len();
            s.state.truncate(len);
            return;
        };
        s.state.truncate(self.first_register() + s.frame.base);
        let caller = &code.frames[caller];
        let call = &self.plan.analysis.program.procedure(caller.procedure).edge(call).instr;
        if let (Instr::Call(Some(dest), ..), Some(value)) = (call, value) {
            self.set(s, caller, dest, value);
        }
    }

    fn join(&mut self, s: &mut Stepping<'_, '_>, dest: Option<&Dest>, handle: &Expr) -> Result<(), Refusal> {
        let handle = self.value(s, handle);
        s.is_visible = true;
        let mut targets = Vec::new();
        for joined in 0..self.plan.analysis.instances.len() {
            let meant = handle.equals(&Word::constant(joined as i128), &mut self.code.circuit);
            if meant != Lit::FALSE {
                targets.push((meant, joined));
            }
        }
        let c = &mut self.code.circuit;
        let some = c.any(targets.iter().map(|(meant, _)| *meant).collect::<Vec<_>>());
        s.early.error(!some, c);
        // A thread can be joined once.
        for earlier in self.joins.iter() {
            for (meant, joined) in &targets {
                let Some((meant_before, _)) = earlier.targets.iter().find(|(_, j)| j == joined) else {
                    continue;
                };
                if earlier.thread != self.thread {
                    return Err("a thread that several threads may join".into());
                }
                let both = c.and(*meant, *meant_before);
                let again = c.and(both, earlier.path);
                s.late.error(again, c);
            }
        }
        let value = Word::one_of(s.facts.value.as_ref().unwrap_or(&Values::NONE), c);
        self.joins.push(PendingJoin {
            thread: self.thread,
            path: s.path,
            targets: targets.clone(),
            value: value.clone(),
        });
        s.joins = targets;
        if let Some(dest) = dest {
            self.set(s, s.frame, dest, value);
        }
        Ok(())
    }
}
