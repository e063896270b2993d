//! One step of a thread on sets of values: what registers hold after it, which cells it may access, and what it adds to
//! the values of cells, the threads and the objects.

use super::row::{joined, part};
use super::{Bounded, Facts, Frame, Place, Refusal, Row, Step, Unrolled, access_type, order, sizes};
use crate::values::{Values, evaluate, learnt, slot};
use fencepost_ir::Scalar;
use fencepost_ir::cfg::{Address, Arith, BinaryOp, Dest, Expr, Fill, Instr, ProcId, Reg, RmwOp, Storage};
use fencepost_ir::pointer;

/// A step of a thread that is being taken.
pub(super) struct Walk<'a, 'p> {
    pub(super) analysis: &'a mut Bounded<'p>,
    pub(super) thread: usize,
    pub(super) number: usize,
    pub(super) state: Vec<Values>,
    pub(super) facts: &'a mut Facts,
}

impl Walk<'_, '_> {
    fn index(frame: &Frame, reg: Reg) -> usize {
        match reg {
            Reg::Local(slot) => frame.base + slot as usize,
            Reg::Thread(slot) => slot as usize,
        }
    }

    fn value(&self, frame: &Frame, expr: &Expr) -> Values {
        evaluate(expr, &|reg| self.state[Walk::index(frame, reg)].clone())
    }

    fn set(&mut self, frame: &Frame, dest: &Dest, values: Values) {
        match dest {
            Dest::Reg(reg) => self.state[Walk::index(frame, *reg)] = values,
            Dest::At { base, len, index } => {
                let index = self.value(frame, index);
                for i in (0..*len).filter(|i| index.contains((*i).into())) {
                    let at = Walk::index(frame, slot(*base, i));
                    if index.single().is_some() {
                        self.state[at] = values.clone();
                    } else {
                        self.state[at].join(&values);
                    }
                }
            }
        }
    }

    /// Takes a step; false if it cannot be.
    pub(super) fn step(&mut self, step: &Step<'_>, code: &Unrolled<'_>) -> Result<bool, Refusal> {
        let frame = &code.frames[step.frame];
        self.analysis.pace.work(1 + self.state.len() as u64 / 32, || 0)?;
        if !self.analysis.objects.is_empty() && !self.analysis.orders_objects {
            let value = |expr: &Expr| self.value(frame, expr);
            self.analysis.orders_objects = order::orders_objects(self.analysis, &step.edge.instr, &value);
        }
        if let Some(address) = step.edge.instr.address() {
            let values = self.value(frame, address.expr());
            self.facts.targets = self.analysis.targets(address, &values)?;
        }
        match &step.edge.instr {
            Instr::Nop
            | Instr::Choose
            | Instr::Fence(_)
            | Instr::AtomicBegin(_)
            | Instr::AtomicEnd(_)
            | Instr::Halt => {}
            Instr::Assign(dest, value) => {
                let values = self.value(frame, value);
                self.set(frame, dest, values);
            }
            Instr::Load(dest, address) => {
                let values = self.read(address);
                self.facts.value = Some(values.clone());
                self.set(frame, dest, values);
            }
            Instr::Store(_, value) => {
                let values = self.value(frame, value);
                self.write(step.edge.instr.address(), &values);
            }
            Instr::Rmw(dest, address, op) => {
                let old = self.read(address);
                let new = match op {
                    RmwOp::Exchange(value) | RmwOp::CompareExchange { new: value, .. } => {
                        self.value(frame, value)
                    }
                    RmwOp::Add(value) => self.arithmetic(frame, address, BinaryOp::Add, &old, value),
                    RmwOp::Sub(value) => self.arithmetic(frame, address, BinaryOp::Sub, &old, value),
                    RmwOp::And(value) => self.arithmetic(frame, address, BinaryOp::BitAnd, &old, value),
                    RmwOp::Or(value) => self.arithmetic(frame, address, BinaryOp::BitOr, &old, value),
                    RmwOp::Xor(value) => self.arithmetic(frame, address, BinaryOp::BitXor, &old, value),
                };
                self.write(Some(address), &new);
                self.facts.value = Some(old.clone());
                if let Some(dest) = dest {
                    self.set(frame, dest, old);
                }
            }
            Instr::Lock(address) | Instr::Unlock(address) => {
                let after = match step.edge.instr {
                    Instr::Lock(_) => self.thread as i64 + 1,
                    _ => 0,
                };
                self.facts.value = Some(self.read(address));
                self.write(Some(address), &Values::one(after));
            }
            Instr::Assume(condition) | Instr::Assert(condition, _) => {
                let may_hold = self.value(frame, condition).truth().0;
                let known: Vec<_> = learnt(condition, &|expr| self.value(frame, expr));
                for (reg, values) in known {
                    self.state[Walk::index(frame, reg)] = values;
                }
                return Ok(may_hold);
            }
            Instr::Havoc(dest, choices) => self.set(frame, dest, Values::of_choices(choices)),
            Instr::Own(dest) => self.set(frame, dest, Values::one(self.thread as i64)),
            Instr::Spawn(dest, procedure, args, _) => {
                let args: Vec<_> = args.iter().map(|a| self.value(frame, a)).collect();
                let child = self.spawn(*procedure, args)?;
                if let Some(dest) = dest {
                    self.set(frame, dest, Values::one(child as i64));
                }
            }
            Instr::Join(dest, handle) => {
                let handles = self.value(frame, handle);
                let mut result = Values::NONE;
                for (i, instance) in self.analysis.instances.iter().enumerate() {
                    if handles.contains(i as i64) {
                        result.join(&instance.result);
                    }
                }
                self.facts.value = Some(result.clone());
                if let Some(dest) = dest {
                    self.set(frame, dest, result);
                }
            }
            Instr::Call(_, _, args) => {
                let args: Vec<_> = args.iter().map(|a| self.value(frame, a)).collect();
                if let Some(entered) = step.enters {
                    let procedure = self.analysis.program.procedure(code.frames[entered].procedure);
                    self.state.extend(args.iter().cloned());
                    let rest = procedure.registers[args.len()..].iter();
                    self.state.extend(rest.map(|r| Values::one(r.init)));
                }
            }
            Instr::Return(value) | Instr::Exit(value) => {
                let value = value.as_ref().map(|v| self.value(frame, v));
                self.leave(step, code, value);
            }
            Instr::Allocate { dest, ty, bytes, fill, storage } => {
                let sizes = self.value(frame, bytes);
                let words = self.allocate(ty.index(), &sizes, *fill, *storage)?;
                self.set(frame, dest, words);
                return Ok(!self.facts.makes.is_empty());
            }
            Instr::Free(pointer, _) => {
                let words = self.value(frame, pointer);
                self.free(&words);
            }
            Instr::Reallocate { dest, ty, pointer, bytes } => {
                let (words, sizes) = (self.value(frame, pointer), self.value(frame, bytes));
                self.free(&words);
                let words = self.reallocate(ty.index(), words.contains(0), &sizes)?;
                self.set(frame, dest, words);
                return Ok(!self.facts.makes.is_empty());
            }
        }
        Ok(true)
    }

    fn leave(&mut self, step: &Step<'_>, code: &Unrolled<'_>, value: Option<Values>) {
        let frame = &code.frames[step.frame];
        if code.places[step.to] == Place::End || frame.caller.is_none() {
            let result = value.unwrap_or(Values::one(0));
            let outermost = &code.frames[0];
            let procedure = self.analysis.program.procedure(outermost.procedure);
            self.state.truncate(outermost.base + procedure.registers.len());
            if self.analysis.instances[self.thread].result.join(&result) {
                self.analysis.changed = true;
            }
            return;
        }
        let (caller, call) = frame.caller.expect("an inner frame");
        self.state.truncate(frame.base);
        let caller = &code.frames[caller];
        let call = &self.analysis.program.procedure(caller.procedure).edge(call).instr;
        if let (Instr::Call(Some(dest), ..), Some(value)) = (call, value) {
            self.set(caller, dest, value);
        }
    }

    fn read(&mut self, address: &Address) -> Values {
        let mut values = Values::NONE;
        let targets = std::mem::take(&mut self.facts.targets);
        for row in &targets.rows {
            let (loc, ty) = (row.first, row.ty());
            let access = access_type(address, ty);
            if row.is_wide() {
                values.join(&self.read_row(row, access));
                continue;
            }
            let cell = self.analysis.cell(loc, ty);
            let same_type = access == ty;
            let seen = cell.values.map(|v| ty.same_bits(v, access), Values::of(access));
            values.join(if same_type { &cell.values } else { &seen });
            // Memory that was never written holds any integer; of pointers nothing is known.
            if cell.unwritten && matches!(access, Scalar::Int(_)) {
                values.join(&Values::of(access));
            }
        }
        self.facts.targets = targets;
        values
    }

    /// What an access to several cells may see. Cells that were never written count as zero next to written ones.
    fn read_row(&mut self, row: &Row, access: Scalar) -> Values {
        let mut all_unwritten = true;
        let mut cells = Vec::new();
        for (loc, ty, shift) in row.parts() {
            let cell = self.analysis.cell(loc, ty);
            let mut values = cell.values.clone();
            if cell.unwritten {
                values.join(&Values::one(0));
            }
            all_unwritten &= cell.unwritten;
            cells.push((ty, shift, values));
        }
        let mut values = joined(&cells, access);
        if all_unwritten && matches!(access, Scalar::Int(_)) {
            values.join(&Values::of(access));
        }
        values
    }

    fn write(&mut self, address: Option<&Address>, values: &Values) {
        let targets = std::mem::take(&mut self.facts.targets);
        for row in &targets.rows {
            let (loc, ty) = (row.first, row.ty());
            let access = address.map_or(ty, |a| access_type(a, ty));
            if row.is_wide() {
                for (loc, ty, shift) in row.parts() {
                    self.analysis.write(loc, ty, &part(values, access, shift, ty));
                }
                continue;
            }
            let kept = values.map(|v| access.same_bits(v, ty), Values::of(ty));
            self.analysis.write(loc, ty, if access == ty { values } else { &kept });
        }
        self.facts.targets = targets;
    }

    fn arithmetic(&self, frame: &Frame, address: &Address, op: BinaryOp, old: &Values, by: &Expr) -> Values {
        let mut result = Values::NONE;
        for row in &self.facts.targets.rows {
            let access = access_type(address, row.ty());
            let operands = [old.clone(), self.value(frame, by)];
            let register = |i| Box::new(Expr::Reg(Reg::Local(i)));
            let expr = Expr::Binary(op, Arith::of(access), register(0), register(1));
            let values = evaluate(&expr, &|reg| match reg {
                Reg::Local(i) | Reg::Thread(i) => operands[i as usize].clone(),
            });
            result.join(&match Values::of(access) {
                Values::Range(lo, hi) => values.clamp(lo, hi),
                Values::Few(all) => values.clamp(all[0], all[all.len() - 1]),
            });
        }
        result
    }

    fn spawn(&mut self, procedure: ProcId, args: Vec<Values>) -> Result<usize, Refusal> {
        let key = (self.thread, self.number);
        let child = match self.analysis.spawns.get(&key) {
            Some(&child) => child,
            None => {
                let child = self.analysis.add_instance(procedure, None, Some(key), args.clone())?;
                self.analysis.spawns.insert(key, child);
                child
            }
        };
        let instance = &mut self.analysis.instances[child];
        for (old, new) in instance.arguments.iter_mut().zip(&args) {
            if old.join(new) {
                self.analysis.changed = true;
            }
        }
        self.facts.starts = Some(child);
        Ok(child)
    }

    /// Notes what may be freed.
    fn free(&mut self, words: &Values) {
        let first = self.analysis.program.objects.len();
        let word = |i: usize| pointer::to_object((first + i) as u32, 0);
        let objects = (0..self.analysis.objects.len()).map(|i| (word(i), i));
        self.facts.frees = objects.filter(|(w, _)| words.contains(*w)).collect();
    }

    /// The pointers to what a reallocation may give, which holds what was in the objects it may free.
    fn reallocate(&mut self, ty: usize, from_null: bool, sizes: &Values) -> Result<Values, Refusal> {
        let analysis = &*self.analysis;
        let frees = self.facts.frees.iter().map(|(_, object)| *object);
        let old: Vec<_> = frees.filter(|o| analysis.objects[*o].storage == Storage::Heap).collect();
        let mut types: Vec<_> = old.iter().map(|o| analysis.heap_types[*o]).collect();
        types.extend((from_null || old.is_empty()).then_some(ty));
        types.sort_unstable();
        types.dedup();
        let [ty] = types[..] else {
            return Err("an object that may be of different types is reallocated".into());
        };
        let words = self.allocate(ty, sizes, Fill::Undefined, Storage::Heap)?;
        let analysis = &mut *self.analysis;
        let mut copied: Vec<Values> = Vec::new();
        for object in old {
            let cells: Vec<_> = analysis.cells_of(object).collect();
            copied.resize(copied.len().max(cells.len()), Values::NONE);
            for ((loc, ty), copied) in cells.into_iter().zip(&mut copied) {
                copied.join(&analysis.cell(loc, ty).values);
            }
        }
        for (_, object) in &self.facts.makes {
            let cells: Vec<_> = analysis.cells_of(*object).collect();
            for ((loc, ty), values) in cells.into_iter().zip(&copied) {
                analysis.write(loc, ty, values);
            }
        }
        self.facts.copied = copied;
        Ok(words)
    }

    /// The pointers to what an allocation may give.
    fn allocate(
        &mut self,
        ty: usize,
        sizes: &Values,
        fill: Fill,
        storage: Storage,
    ) -> Result<Values, Refusal> {
        let key = (self.thread, self.number);
        let analysis = &mut *self.analysis;
        let sizes = sizes::tracked(sizes, &analysis.heap_layouts[ty], analysis.block)?;
        self.facts.leaves_out_sizes = !sizes.complete;
        for bytes in sizes.tracked {
            if analysis.allocations.get(&key).is_none_or(|objects| !objects.contains_key(&bytes)) {
                let object = analysis.add_object(key, ty, bytes, fill, storage)?;
                analysis.allocations.entry(key).or_default().insert(bytes, object);
            }
        }
        let made = analysis.allocations.get(&key).into_iter().flatten();
        self.facts.makes = made.map(|(bytes, object)| (*bytes, *object)).collect();
        let reuses = analysis.reuses.get(&key).cloned().unwrap_or_default();
        for gone in &reuses {
            analysis.fill_again(*gone, fill);
        }
        let objects = self.facts.makes.iter().map(|(_, object)| *object).chain(reuses.iter().copied());
        let first = analysis.program.objects.len();
        let words = objects.map(|o| pointer::to_object((first + o) as u32, 0)).collect();
        self.facts.reuses = reuses;
        Ok(Values::from_list(words))
    }
}
