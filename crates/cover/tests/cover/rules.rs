//! The backward rules against the steps of the dual semantics, done forwards as Figure 2 of Abdulla et
//! al., CONCUR 2016, has them (with the oldest message read, not the newest), on all small
//! configurations of an automaton that has every kind of operation.
//!
//! - Nothing is missed: where a step leads above an element, the step's start is above a predecessor.
//! - Nothing is made up: every configuration that a predecessor stands for leads above the element.

use fencepost_cover::{
    ANY, Automaton, Buffer, Message, Op, Transition, Value, Var, Visible, undo_joining, undo_local,
    undo_visible,
};
use fencepost_task::{Budget, Pace};

fn automaton() -> Automaton {
    let t = |from, op, to| Transition { from, op, to };
    let transitions = vec![
        t(0, Op::Write(0, 1), 1),
        t(1, Op::Write(1, 0), 0),
        t(1, Op::Write(0, 0), 1),
        t(0, Op::Read(0, 1), 1),
        t(1, Op::Read(1, 1), 0),
        t(1, Op::Read(0, 0), 1),
        t(0, Op::Fence, 1),
        t(0, Op::Atomic(vec![(0, 0)], vec![(0, 1)]), 0),
        t(1, Op::Atomic(vec![(0, 1), (1, 0)], vec![(1, 1)]), 0),
        t(1, Op::Nop, 0),
    ];
    let pace = &mut Pace::new(&Budget::default());
    Automaton::new(vec![Vec::new(), Vec::new()], transitions, pace).expect("nothing stops this")
}

/// A process and the memory, with no value open.
#[derive(Clone, PartialEq, Eq, Debug)]
struct Concrete {
    state: u32,
    buffer: Buffer,
    memory: Vec<Value>,
}

/// The same, perhaps with open values: what is above it.
type Element = Concrete;

fn messages(values: &[Value], own: bool) -> Vec<Message> {
    let of = |var: Var| values.iter().map(move |&value| Message { var, value, own });
    (0..2).flat_map(of).collect()
}

fn buffers(alphabet: &[Message], longest: usize) -> Vec<Buffer> {
    let mut all = vec![Buffer::new()];
    let mut last = all.clone();
    for _ in 0..longest {
        let longer = |b: &Buffer| alphabet.iter().map(|m| [&b[..], &[*m]].concat()).collect::<Vec<_>>();
        last = last.iter().flat_map(longer).collect();
        all.extend(last.iter().cloned());
    }
    all
}

fn all(buffers: &[Buffer], values: &[Value]) -> Vec<Concrete> {
    let mut found = Vec::new();
    for state in 0..2 {
        for buffer in buffers {
            for x in values {
                for y in values {
                    found.push(Concrete { state, buffer: buffer.clone(), memory: vec![*x, *y] });
                }
            }
        }
    }
    found
}

fn concretes(longest: usize) -> Vec<Concrete> {
    all(&buffers(&[messages(&[0, 1], false), messages(&[0, 1], true)].concat(), longest), &[0, 1])
}

/// Elements have one own message for each variable at most.
fn elements(longest: usize) -> Vec<Element> {
    let alphabet = [messages(&[0, 1], false), messages(&[0, 1, ANY], true)].concat();
    let single = |b: &Buffer| (0..2).all(|x| b.iter().filter(|m| m.own && m.var == x).count() <= 1);
    let buffers: Vec<_> = buffers(&alphabet, longest).into_iter().filter(single).collect();
    all(&buffers, &[0, 1, ANY])
}

/// The paper's order: own messages that are the newest of their variable have to agree, the messages
/// between them are subwords.
fn is_below(element: &Element, concrete: &Concrete) -> bool {
    let allows = |a: Value, b: Value| a == ANY || a == b;
    if element.state != concrete.state
        || !element.memory.iter().zip(&concrete.memory).all(|(a, b)| allows(*a, *b))
    {
        return false;
    }
    let newest = |buffer: &Buffer, i: usize| {
        buffer[i].own && !buffer[..i].iter().any(|m| m.own && m.var == buffer[i].var)
    };
    let mut rest = element.buffer.iter().peekable();
    for (i, message) in concrete.buffer.iter().enumerate() {
        if newest(&concrete.buffer, i) {
            match rest.next() {
                Some(m) if m.own && m.var == message.var && allows(m.value, message.value) => {}
                _ => return false,
            }
        } else if rest.peek().is_some_and(|m| !m.own && **m == *message) {
            rest.next();
        }
    }
    rest.next().is_none()
}

/// Every step of the process and its memory.
fn forward(automaton: &Automaton, from: &Concrete) -> Vec<Concrete> {
    let mut found = Vec::new();
    for transition in automaton.transitions.iter().filter(|t| t.from == from.state) {
        let to = Concrete { state: transition.to, ..from.clone() };
        match &transition.op {
            Op::Nop => found.push(to),
            Op::Fence if from.buffer.is_empty() => found.push(to),
            Op::Fence => {}
            Op::Read(x, v) => {
                let own = from.buffer.iter().find(|m| m.own && m.var == *x);
                let oldest = from.buffer.last().filter(|m| !m.own && m.var == *x);
                if own.or(oldest).is_some_and(|m| m.value == *v) {
                    found.push(to);
                }
            }
            Op::Write(x, v) => {
                let mut to = to;
                to.memory[*x as usize] = *v;
                to.buffer.insert(0, Message { var: *x, value: *v, own: true });
                found.push(to);
            }
            Op::Atomic(guard, update) => {
                if from.buffer.is_empty() && guard.iter().all(|(x, v)| from.memory[*x as usize] == *v) {
                    let mut to = to;
                    update.iter().for_each(|(x, v)| to.memory[*x as usize] = *v);
                    found.push(to);
                }
            }
        }
    }
    for var in 0..2 {
        let mut to = from.clone();
        to.buffer.insert(0, Message { var, value: from.memory[var as usize], own: false });
        found.push(to);
    }
    if !from.buffer.is_empty() {
        let mut to = from.clone();
        to.buffer.pop();
        found.push(to);
    }
    found
}

fn predecessors(automaton: &Automaton, element: &Element) -> Vec<Element> {
    let mut found: Vec<Element> = undo_local(automaton, element.state, &element.buffer)
        .into_iter()
        .map(|(state, buffer, _)| Element { state, buffer, memory: element.memory.clone() })
        .collect();
    undo_visible(automaton, element.state, &element.buffer, &element.memory, &mut |v: Visible| {
        found.push(Element { state: v.state, buffer: v.buffer, memory: v.memory });
    });
    found
}

#[test]
fn no_predecessor_is_missed() {
    let automaton = automaton();
    let elements = elements(2);
    let predecessors: Vec<Vec<Element>> = elements.iter().map(|e| predecessors(&automaton, e)).collect();
    let mut steps = 0;
    for from in concretes(2) {
        for to in forward(&automaton, &from) {
            for (element, before) in elements.iter().zip(&predecessors) {
                if is_below(element, &to) {
                    let known = is_below(element, &from) || before.iter().any(|p| is_below(p, &from));
                    assert!(known, "{from:?}\nleads to {to:?}\nabove {element:?}\nnot from {before:?}");
                    steps += 1;
                }
            }
        }
    }
    assert!(steps > 50_000, "{steps} steps were looked at");
}

/// All that an element's open values can be.
fn instances(element: &Element) -> Vec<Concrete> {
    let mut found = vec![element.clone()];
    for i in 0..element.buffer.len() {
        if element.buffer[i].value == ANY {
            found = found
                .iter()
                .flat_map(|c| {
                    [0, 1].map(|v| {
                        let mut c = c.clone();
                        c.buffer[i].value = v;
                        c
                    })
                })
                .collect();
        }
    }
    for i in 0..element.memory.len() {
        if element.memory[i] == ANY {
            found = found
                .iter()
                .flat_map(|c| {
                    [0, 1].map(|v| {
                        let mut c = c.clone();
                        c.memory[i] = v;
                        c
                    })
                })
                .collect();
        }
    }
    found
}

#[test]
fn every_predecessor_leads_above_its_element() {
    let automaton = automaton();
    let mut looked_at = 0;
    for element in elements(2) {
        for before in predecessors(&automaton, &element) {
            for from in instances(&before) {
                let leads = forward(&automaton, &from).iter().any(|to| is_below(&element, to));
                assert!(leads, "{from:?}\ndoes not lead above {element:?}");
                looked_at += 1;
            }
        }
    }
    assert!(looked_at > 5_000, "{looked_at} predecessors were looked at");
}

/// A process that joins brings a write or an atomic operation that constrains memory less.
#[test]
fn joining_processes_come_with_an_empty_buffer() {
    let automaton = automaton();
    let mut joined = Vec::new();
    undo_joining(&automaton, &[1, ANY], &mut |v| joined.push((v.state, v.buffer, v.memory)));
    joined.sort();
    // Write(0, 1) from 0, and Atomic(x = 0 / x = 1) from 0; y is never needed.
    assert_eq!(joined, [(0, Buffer::new(), vec![0, ANY]), (0, Buffer::new(), vec![ANY, ANY])]);
}
