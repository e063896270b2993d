//! Circuits of expressions against the interpreter: random expressions over registers of every width, with values at
//! the ends of types and around zero, both as constants that fold and as inputs of the solver.

use fencepost_analysis::values::{Values, evaluate};
use fencepost_bmc::circuit::{Circuit, Lit};
use fencepost_bmc::expression::{Evaluation, Faults};
use fencepost_bmc::word::Word;
use fencepost_ir::cfg::{Arith, BinaryOp, Expr, Reg, UnaryOp};
use fencepost_ir::eval::{Registers, eval};
use fencepost_ir::{IntType, Scalar};

/// A small generator of numbers, always the same.
struct Rng(u64);

impl Rng {
    fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }

    fn below(&mut self, n: u64) -> u64 {
        self.next() % n
    }
}

const REGISTERS: usize = 3;

struct Values3([i64; REGISTERS]);

impl Registers for Values3 {
    fn get(&self, reg: Reg) -> i64 {
        let Reg::Local(i) = reg else { panic!("local registers only") };
        self.0[i as usize]
    }
}

fn value(rng: &mut Rng, int: IntType) -> i64 {
    let (lo, hi) = int.limits();
    let any = i128::from(rng.next());
    let near = i128::from(rng.below(5)) - 2;
    int.wrap(match rng.below(5) {
        0 => near,
        1 => lo + near,
        2 => hi + near,
        3 => any & 0xff,
        _ => any,
    })
}

/// An expression whose values belong to the type.
fn expr(rng: &mut Rng, int: IntType, depth: u32) -> Expr {
    let arith = Arith::Wrap(int);
    if depth == 0 {
        return match rng.below(2) {
            0 => Expr::Const(value(rng, int)),
            _ => Expr::Reg(Reg::Local(rng.below(REGISTERS as u64) as u32)),
        };
    }
    let sub = |rng: &mut Rng| Box::new(expr(rng, int, depth - 1));
    use BinaryOp::*;
    const OPS: [BinaryOp; 18] =
        [Add, Sub, Mul, Div, Rem, BitAnd, BitOr, BitXor, Shl, Shr, Eq, Ne, Lt, Le, Gt, Ge, And, Or];
    match rng.below(16) {
        0 => Expr::Unary(UnaryOp::Neg, arith, sub(rng)),
        1 => Expr::Unary(UnaryOp::BitNot, arith, sub(rng)),
        2 => Expr::Wrap(int, Box::new(Expr::Unary(UnaryOp::Not, arith, sub(rng)))),
        3 => Expr::Select(sub(rng), sub(rng), sub(rng)),
        4 => {
            let narrow = IntType { bits: 8, signed: int.signed };
            Expr::Wrap(int, Box::new(Expr::Wrap(narrow, sub(rng))))
        }
        5 => {
            let to = Scalar::Range { lo: -3, hi: 100 };
            Expr::Wrap(int, Box::new(Expr::Check { from: Scalar::Int(int), to, arg: sub(rng) }))
        }
        6 => {
            let index = Expr::Binary(BitAnd, arith, sub(rng), Box::new(Expr::Const(int.wrap(3))));
            Expr::At { base: Reg::Local(0), len: REGISTERS as u32, index: Box::new(index) }
        }
        7 => {
            let exact = |rng: &mut Rng, op| Expr::Binary(op, Arith::Exact, sub(rng), sub(rng));
            let op = [Add, Sub, Mul, Div, Rem, Shl, Shr, Lt][rng.below(8) as usize];
            Expr::Wrap(int, Box::new(exact(rng, op)))
        }
        _ => {
            let op = OPS[rng.below(18) as usize];
            Expr::Wrap(int, Box::new(Expr::Binary(op, arith, sub(rng), sub(rng))))
        }
    }
}

/// The value in a circuit whose inputs are the bits of registers, or whose registers are constants.
fn through_circuit(expr: &Expr, registers: &Values3, constants: bool) -> Result<i64, (bool, bool)> {
    let mut circuit = Circuit::default();
    let mut inputs = Vec::new();
    let words: Vec<Word> = registers
        .0
        .iter()
        .map(|v| {
            if constants {
                return Word::constant((*v).into());
            }
            let bits: Vec<Lit> = (0..64).map(|_| circuit.input()).collect();
            inputs.extend(bits.iter().enumerate().map(|(i, lit)| (*lit, *v >> i & 1 == 1)));
            Word::from_bits(bits)
        })
        .collect();
    let of = |reg: Reg| match reg {
        Reg::Local(i) => words[i as usize].clone(),
        Reg::Thread(_) => panic!("local registers only"),
    };
    let mut evaluation = Evaluation { circuit: &mut circuit, registers: &of, faults: Faults::NONE };
    let word = evaluation.value(expr);
    let faults = evaluation.faults;
    let nodes = circuit.evaluate_inputs(|lit| inputs.iter().find(|(l, _)| *l == lit).unwrap().1);
    let bit = |lit: Lit| lit.value(&nodes);
    if bit(faults.error) || bit(faults.limit) {
        return Err((bit(faults.error), bit(faults.limit)));
    }
    Ok((0..64).filter(|i| bit(word.bit(*i))).fold(0u64, |n, i| n | 1 << i) as i64)
}

#[test]
fn expressions_of_every_width_agree_with_the_interpreter() {
    let mut rng = Rng(88172645463325252);
    let (mut failing, mut fine) = (0, 0);
    for bits in [1, 8, 16, 32, 64] {
        for signed in [true, false] {
            let int = IntType { bits, signed };
            for round in 0..150 {
                let expr = expr(&mut rng, int, 1 + round % 3);
                for _ in 0..4 {
                    let registers =
                        Values3([value(&mut rng, int), value(&mut rng, int), value(&mut rng, int)]);
                    let expected = eval(&expr, &registers);
                    for constants in [true, false] {
                        let found = through_circuit(&expr, &registers, constants);
                        match (expected, found) {
                            (Ok(v), Ok(w)) => assert_eq!(v, w, "{int}: {expr:?} with {:?}", registers.0),
                            (Err(fault), Err((error, limit))) => {
                                assert_eq!(
                                    (error, limit),
                                    (!fault.is_limit(), fault.is_limit()),
                                    "{int}: {fault:?}, {expr:?} with {:?}",
                                    registers.0
                                );
                            }
                            (e, f) => panic!("{int}: {e:?} is not {f:?}, {expr:?} with {:?}", registers.0),
                        }
                    }
                    // What the analysis allows contains what is.
                    if let Ok(v) = expected {
                        let ranges = evaluate(&expr, &|reg| match reg {
                            Reg::Local(i) => {
                                let v = registers.0[i as usize];
                                Values::Range(v.saturating_sub(round.into()), v.saturating_add(7))
                                    .clamp(i64::MIN, i64::MAX)
                            }
                            Reg::Thread(_) => panic!("local registers only"),
                        });
                        let exact = evaluate(&expr, &|reg| Values::one(registers.get(reg)));
                        assert!(
                            exact.contains(v),
                            "{int}: {v} not in {exact:?}, {expr:?}, {:?}",
                            registers.0
                        );
                        assert!(
                            ranges.contains(v),
                            "{int}: {v} not in {ranges:?}, {expr:?}, {:?}",
                            registers.0
                        );
                        fine += 1;
                    } else {
                        failing += 1;
                    }
                }
            }
        }
    }
    assert!(failing > 100 && fine > 3000, "{failing} failing, {fine} fine");
}

#[test]
fn equal_gates_are_one_and_constants_fold() {
    let mut c = Circuit::default();
    let (a, b) = (c.input(), c.input());
    let before = c.size();
    let and = c.and(a, b);
    assert_eq!(c.and(b, a), and);
    assert_eq!(c.size(), before + 1);
    assert_eq!(c.and(a, !a), Lit::FALSE);
    assert_eq!(c.and(and, !a), Lit::FALSE);
    assert_eq!(c.and(and, a), and);
    assert_eq!(c.xor(a, !a), Lit::TRUE);
    assert_eq!(c.choose(a, b, b), b);
    let one_way = c.choose(a, b, Lit::FALSE);
    assert_eq!(one_way, and);
    let twelve = Word::constant(5).add(&Word::constant(7), &mut c);
    assert_eq!(twelve.as_constant(), Some(12));
}

#[test]
fn only_what_is_needed_has_clauses() {
    let mut c = Circuit::default();
    let (a, b, d) = (c.input(), c.input(), c.input());
    let needed = c.and(a, b);
    let _unneeded = c.and(b, d);
    c.define(d, &[d, a]);
    let mut clauses = 0;
    c.flush(&[needed], &mut |_| clauses += 1);
    assert_eq!(
        (clauses, c.variables()),
        (3, 3),
        "one gate of three variables, and nothing of the third input"
    );
    let also = c.or(d, b);
    c.flush(&[also], &mut |_| clauses += 1);
    assert_eq!(clauses, 3 + 3 + 1, "another gate, and the clause that defines the third input");
}
