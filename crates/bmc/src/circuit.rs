//! Circuits of and, exclusive or, if-then-else and full adder gates over free inputs, and their clauses.
//!
//! Gates are shared: equal gates are one node, and gates with constant, equal or opposite operands are
//! never made. [`Circuit::flush`] gives the clauses (Tseitin's, both directions) of what is needed only:
//! the gates below the requirements and roots, and the clauses that define an input once that input
//! is needed. Nodes are append-only, so a circuit grows while a solver keeps what it has learnt.

use rustc_hash::FxHashMap;

/// A node or its negation.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, PartialOrd, Ord)]
pub struct Lit(u32);

impl Lit {
    /// Never.
    pub const FALSE: Lit = Lit(0);
    /// Always.
    pub const TRUE: Lit = Lit(1);

    /// A constant.
    pub fn constant(value: bool) -> Lit {
        if value { Lit::TRUE } else { Lit::FALSE }
    }

    /// The value of a constant.
    pub fn as_constant(self) -> Option<bool> {
        (self.0 < 2).then_some(self.0 == 1)
    }

    fn node(self) -> usize {
        (self.0 >> 1) as usize
    }

    fn is_negated(self) -> bool {
        self.0 & 1 == 1
    }

    /// Its value, where those of all nodes are given.
    pub fn value(self, nodes: &[bool]) -> bool {
        nodes[self.node()] != self.is_negated()
    }
}

impl std::ops::Not for Lit {
    type Output = Lit;
    fn not(self) -> Lit {
        Lit(self.0 ^ 1)
    }
}

/// Operands are ordered and signs moved out, so that equal functions are equal nodes.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
enum Node {
    Constant,
    Input,
    And(Lit, Lit),
    Xor(Lit, Lit),
    /// The first chooses between the second and the third.
    Choose(Lit, Lit, Lit),
    /// An odd number of three.
    Odd(Lit, Lit, Lit),
    /// Two of three at least.
    Majority(Lit, Lit, Lit),
}

/// A growing circuit.
pub struct Circuit {
    nodes: Vec<Node>,
    shared: FxHashMap<Node, Lit>,
    /// The solver's variable of each node that has one.
    variables: Vec<i32>,
    next_variable: i32,
    /// Clauses that have not been given out.
    required: Vec<Vec<Lit>>,
    /// Clauses that define an input, until it is needed.
    owned: FxHashMap<usize, Vec<Vec<Lit>>>,
}

impl Default for Circuit {
    fn default() -> Circuit {
        Circuit {
            nodes: vec![Node::Constant],
            shared: FxHashMap::default(),
            variables: vec![0],
            next_variable: 1,
            required: Vec::new(),
            owned: FxHashMap::default(),
        }
    }
}

impl Circuit {
    /// Number of nodes.
    pub fn size(&self) -> usize {
        self.nodes.len()
    }

    /// Bytes that the nodes take, roughly, here and in the solver.
    pub fn bytes(&self) -> u64 {
        self.nodes.len() as u64 * 100
    }

    /// Number of variables that were given to the solver.
    pub fn variables(&self) -> i32 {
        self.next_variable - 1
    }

    fn push(&mut self, node: Node) -> Lit {
        let lit = Lit((self.nodes.len() as u32) << 1);
        self.nodes.push(node);
        self.variables.push(0);
        lit
    }

    fn share(&mut self, node: Node) -> Lit {
        if let Some(&lit) = self.shared.get(&node) {
            return lit;
        }
        let lit = self.push(node);
        self.shared.insert(node, lit);
        lit
    }

    /// A new input.
    pub fn input(&mut self) -> Lit {
        self.push(Node::Input)
    }

    /// Both.
    pub fn and(&mut self, a: Lit, b: Lit) -> Lit {
        let (a, b) = if a < b { (a, b) } else { (b, a) };
        if a == Lit::FALSE || a == !b {
            return Lit::FALSE;
        }
        if a == Lit::TRUE || a == b {
            return b;
        }
        for (one, other) in [(a, b), (b, a)] {
            if let Node::And(x, y) = self.nodes[other.node()] {
                match (other.is_negated(), one == x || one == y, one == !x || one == !y) {
                    (false, true, _) => return other,
                    (false, _, true) => return Lit::FALSE,
                    (true, _, true) => return one,
                    (true, true, _) => {
                        let rest = if one == x { y } else { x };
                        return self.and(one, !rest);
                    }
                    (_, false, false) => {}
                }
            }
        }
        self.share(Node::And(a, b))
    }

    /// One of them at least.
    pub fn or(&mut self, a: Lit, b: Lit) -> Lit {
        !self.and(!a, !b)
    }

    /// All of them.
    pub fn all(&mut self, lits: impl IntoIterator<Item = Lit>) -> Lit {
        lits.into_iter().fold(Lit::TRUE, |all, lit| self.and(all, lit))
    }

    /// Any of them.
    pub fn any(&mut self, lits: impl IntoIterator<Item = Lit>) -> Lit {
        lits.into_iter().fold(Lit::FALSE, |any, lit| self.or(any, lit))
    }

    /// Exactly one of them.
    pub fn xor(&mut self, a: Lit, b: Lit) -> Lit {
        let flip = a.is_negated() != b.is_negated();
        let positive = |lit: Lit| if lit.is_negated() { !lit } else { lit };
        let (a, b) = (positive(a), positive(b));
        let (a, b) = if a < b { (a, b) } else { (b, a) };
        let result = if a == b {
            Lit::FALSE
        } else if a == Lit::FALSE {
            b
        } else {
            self.share(Node::Xor(a, b))
        };
        if flip { !result } else { result }
    }

    /// Both or neither.
    pub fn equal(&mut self, a: Lit, b: Lit) -> Lit {
        !self.xor(a, b)
    }

    /// The sum bit of three: an odd number of them.
    pub fn odd(&mut self, a: Lit, b: Lit, c: Lit) -> Lit {
        let mut flip = false;
        let mut lits = [a, b, c].map(|lit| {
            flip ^= lit.is_negated();
            if lit.is_negated() { !lit } else { lit }
        });
        lits.sort_unstable();
        let [a, b, c] = lits;
        let result = if a == Lit::FALSE || a == b || b == c {
            let half = self.xor(a, b);
            self.xor(half, c)
        } else {
            self.share(Node::Odd(a, b, c))
        };
        if flip { !result } else { result }
    }

    /// The carry of three: two of them at least.
    pub fn majority(&mut self, a: Lit, b: Lit, c: Lit) -> Lit {
        let mut lits = [a, b, c];
        lits.sort_unstable();
        let [a, b, c] = lits;
        match a.as_constant() {
            Some(false) => return self.and(b, c),
            Some(true) => return self.or(b, c),
            None => {}
        }
        if a.node() == b.node() {
            return if a == b { a } else { c };
        }
        if b.node() == c.node() {
            return if b == c { b } else { a };
        }
        if a.is_negated() {
            return !self.share(Node::Majority(!a, !b, !c));
        }
        self.share(Node::Majority(a, b, c))
    }

    /// `then` if `condition` holds, else `otherwise`.
    pub fn choose(&mut self, condition: Lit, then: Lit, otherwise: Lit) -> Lit {
        if condition.is_negated() {
            return self.choose_positive(!condition, otherwise, then);
        }
        self.choose_positive(condition, then, otherwise)
    }

    fn choose_positive(&mut self, condition: Lit, then: Lit, otherwise: Lit) -> Lit {
        if condition == Lit::FALSE || then == otherwise {
            return otherwise;
        }
        if then == !otherwise {
            return self.xor(condition, otherwise);
        }
        if then == Lit::TRUE || then == condition {
            return self.or(condition, otherwise);
        }
        if then == Lit::FALSE || then == !condition {
            return self.and(!condition, otherwise);
        }
        if otherwise == Lit::TRUE || otherwise == !condition {
            return self.or(!condition, then);
        }
        if otherwise == Lit::FALSE || otherwise == condition {
            return self.and(condition, then);
        }
        // A choice among the same alternatives after the same condition.
        if let Node::Choose(c, _, e) = self.nodes[otherwise.node()]
            && c == condition
        {
            let e = if otherwise.is_negated() { !e } else { e };
            return self.choose_positive(condition, then, e);
        }
        if then.is_negated() {
            return !self.share(Node::Choose(condition, !then, !otherwise));
        }
        self.share(Node::Choose(condition, then, otherwise))
    }

    /// One of the literals must hold.
    pub fn require(&mut self, clause: &[Lit]) {
        if let Some(clause) = simplified(clause) {
            self.required.push(clause);
        }
    }

    /// The same, but irrelevant until the input that the clause defines is needed.
    pub fn define(&mut self, input: Lit, clause: &[Lit]) {
        let Some(clause) = simplified(clause) else { return };
        debug_assert!(self.nodes[input.node()] == Node::Input, "only inputs are defined by clauses");
        if self.variables[input.node()] != 0 {
            self.required.push(clause);
        } else {
            self.owned.entry(input.node()).or_default().push(clause);
        }
    }

    /// Gives out the clauses that are new: of all requirements, and of what is below the roots.
    pub fn flush(&mut self, roots: &[Lit], sink: &mut dyn FnMut(&[i32])) {
        roots.iter().for_each(|root| self.emit(*root, sink));
        while let Some(clause) = self.required.pop() {
            clause.iter().for_each(|lit| self.emit(*lit, sink));
            let clause: Vec<_> = clause.iter().map(|lit| self.variable(*lit)).collect();
            sink(&clause);
        }
    }

    /// The solver's literal of one that was flushed.
    pub fn variable(&self, lit: Lit) -> i32 {
        let variable = self.variables[lit.node()];
        assert!(variable != 0, "only what was flushed has a variable");
        if lit.is_negated() { -variable } else { variable }
    }

    /// Whether the solver knows the literal.
    pub fn is_flushed(&self, lit: Lit) -> bool {
        self.variables[lit.node()] != 0
    }

    /// The inputs.
    pub fn inputs(&self) -> impl Iterator<Item = Lit> {
        let nodes = self.nodes.iter().enumerate().filter(|(_, node)| **node == Node::Input);
        nodes.map(|(index, _)| Lit((index as u32) << 1))
    }

    /// The values of all nodes, given those of the inputs that the solver knows; other inputs are false.
    pub fn evaluate(&self, mut input: impl FnMut(i32) -> bool) -> Vec<bool> {
        self.evaluate_inputs(|lit| {
            let variable = self.variables[lit.node()];
            variable != 0 && input(variable)
        })
    }

    /// The values of all nodes, given those of all inputs.
    pub fn evaluate_inputs(&self, mut input: impl FnMut(Lit) -> bool) -> Vec<bool> {
        let mut values: Vec<bool> = Vec::with_capacity(self.nodes.len());
        for (index, node) in self.nodes.iter().enumerate() {
            let of = |lit: Lit| values[lit.node()] != lit.is_negated();
            let value = match *node {
                Node::Constant => false,
                Node::Input => input(Lit((index as u32) << 1)),
                Node::And(a, b) => of(a) && of(b),
                Node::Xor(a, b) => of(a) != of(b),
                Node::Choose(c, t, e) => {
                    if of(c) {
                        of(t)
                    } else {
                        of(e)
                    }
                }
                Node::Odd(a, b, c) => of(a) ^ of(b) ^ of(c),
                Node::Majority(a, b, c) => u8::from(of(a)) + u8::from(of(b)) + u8::from(of(c)) > 1,
            };
            values.push(value);
        }
        values
    }

    fn emit(&mut self, root: Lit, sink: &mut dyn FnMut(&[i32])) {
        let mut waiting = Vec::new();
        self.need(root, &mut waiting);
        while let Some(index) = waiting.pop() {
            self.gate_clauses(index, sink, &mut waiting);
        }
    }

    /// The solver's literal; a node that gets its variable here waits for its clauses.
    fn need(&mut self, lit: Lit, waiting: &mut Vec<usize>) -> i32 {
        let index = lit.node();
        if self.variables[index] == 0 {
            self.variables[index] = self.next_variable;
            self.next_variable += 1;
            waiting.push(index);
            self.required.extend(self.owned.remove(&index).into_iter().flatten());
        }
        self.variable(lit)
    }

    fn gate_clauses(&mut self, index: usize, sink: &mut dyn FnMut(&[i32]), waiting: &mut Vec<usize>) {
        let out = self.variables[index];
        match self.nodes[index] {
            Node::Constant => sink(&[-out]),
            Node::Input => {}
            Node::And(a, b) => {
                let (a, b) = (self.need(a, waiting), self.need(b, waiting));
                sink(&[-out, a]);
                sink(&[-out, b]);
                sink(&[out, -a, -b]);
            }
            Node::Xor(a, b) => {
                let (a, b) = (self.need(a, waiting), self.need(b, waiting));
                sink(&[-out, a, b]);
                sink(&[-out, -a, -b]);
                sink(&[out, -a, b]);
                sink(&[out, a, -b]);
            }
            Node::Choose(c, t, e) => {
                let (c, t, e) = (self.need(c, waiting), self.need(t, waiting), self.need(e, waiting));
                sink(&[-out, -c, t]);
                sink(&[out, -c, -t]);
                sink(&[-out, c, e]);
                sink(&[out, c, -e]);
                // Not needed, but they propagate.
                sink(&[-out, t, e]);
                sink(&[out, -t, -e]);
            }
            Node::Odd(x, y, z) => {
                let (a, b, c) = (self.need(x, waiting), self.need(y, waiting), self.need(z, waiting));
                for (a, b) in [(a, b), (-a, -b)] {
                    sink(&[-out, a, b, c]);
                    sink(&[-out, -a, b, -c]);
                    sink(&[out, a, b, -c]);
                    sink(&[out, -a, b, c]);
                }
                for (y, z) in [(y, z), (!y, z), (y, !z), (!y, !z)] {
                    if let Some(carry) = self.flushed(Node::Majority(x, y, z)) {
                        self.relate_adder([x, y, z], out, carry, y.is_negated() != z.is_negated(), sink);
                    }
                }
            }
            Node::Majority(x, y, z) => {
                let (a, b, c) = (self.need(x, waiting), self.need(y, waiting), self.need(z, waiting));
                for (a, b) in [(a, b), (a, c), (b, c)] {
                    sink(&[-out, a, b]);
                    sink(&[out, -a, -b]);
                }
                let positive = |lit: Lit| if lit.is_negated() { !lit } else { lit };
                if let Some(sum) = self.flushed(Node::Odd(x, positive(y), positive(z))) {
                    self.relate_adder([x, y, z], sum, out, y.is_negated() != z.is_negated(), sink);
                }
            }
        }
    }

    /// The variable of a node that has one.
    fn flushed(&self, node: Node) -> Option<i32> {
        let variable = self.variables[self.shared.get(&node)?.node()];
        (variable != 0).then_some(variable)
    }

    /// What follows for the operands of an adder from both its outputs: three for an odd number that is a majority. Not
    /// needed, but it propagates. `flipped` says that the sum is that of operands of which one is negated.
    fn relate_adder(
        &self,
        operands: [Lit; 3],
        sum: i32,
        carry: i32,
        flipped: bool,
        sink: &mut dyn FnMut(&[i32]),
    ) {
        let sum = if flipped { -sum } else { sum };
        for operand in operands {
            let operand = self.variable(operand);
            sink(&[-sum, -carry, operand]);
            sink(&[sum, carry, -operand]);
        }
    }
}

/// Without false literals and repetitions; `None` if it holds anyway.
fn simplified(clause: &[Lit]) -> Option<Vec<Lit>> {
    let mut kept: Vec<Lit> = Vec::with_capacity(clause.len());
    for &lit in clause {
        if lit == Lit::TRUE || kept.contains(&!lit) {
            return None;
        }
        if lit != Lit::FALSE && !kept.contains(&lit) {
            kept.push(lit);
        }
    }
    Some(kept)
}
