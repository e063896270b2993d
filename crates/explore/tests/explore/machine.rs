//! What instructions mean, checked by the machine: random straight-line x86-64 code is run as a litmus test
//! and by the processor, and all registers and memory have to be the same. Needs an x86-64 machine with a C
//! compiler, and says so where there is none.
//!
//! Flags that the manuals leave undefined are not looked at: after a shift by more than one only those that
//! are defined, and none after a shift by `cl`.

use fencepost_explore::{Explicit, Finals};
use fencepost_ir::cfg::{Observable, Reg};
use fencepost_litmus::read_test;
use fencepost_passes::pipeline;
use fencepost_samples::Rng;
use fencepost_samples::programs;
use fencepost_task::{Bounds, Budget, Model, Task};
use std::fmt::Write;
use std::path::Path;
use std::process::Command;

const REGISTERS: [&str; 10] = ["a", "b", "c", "d", "si", "di", "8", "9", "10", "11"];
const PROGRAMS: usize = 200;

/// Cells, each with one width.
const CELLS: [(&str, u32, &str); 4] =
    [("x", 64, "uint64_t"), ("y", 32, "uint32_t"), ("z", 16, "uint16_t"), ("b", 8, "uint8_t")];

fn register(name: &str, bits: u32) -> String {
    let old = name.len() == 1 && name.starts_with(|c: char| c.is_ascii_alphabetic());
    match (old, name.starts_with(|c: char| c.is_ascii_digit()), bits) {
        (true, _, 64) => format!("%r{name}x"),
        (true, _, 32) => format!("%e{name}x"),
        (true, _, 16) => format!("%{name}x"),
        (true, _, _) => format!("%{name}l"),
        (_, true, 64) => format!("%r{name}"),
        (_, true, 32) => format!("%r{name}d"),
        (_, true, 16) => format!("%r{name}w"),
        (_, true, _) => format!("%r{name}b"),
        (_, _, 64) => format!("%r{name}"),
        (_, _, 32) => format!("%e{name}"),
        (_, _, 16) => format!("%{name}"),
        (_, _, _) => format!("%{name}l"),
    }
}

/// A program and what registers and memory hold at first.
struct Program {
    code: Vec<String>,
    registers: Vec<i64>,
    cells: Vec<u64>,
}

const ALL_TESTS: &[&str] = &["e", "ne", "b", "ae", "be", "a", "l", "ge", "le", "g", "s", "ns", "o", "no"];
const DEFINED: &[&str] = &["e", "ne", "s", "ns", "b", "ae"];

fn program(rng: &mut Rng) -> Program {
    let flags = !rng.one_in(5);
    let mut code = if flags { vec!["cmpq %rax,%rbx".to_string()] } else { Vec::new() };
    let mut tests = ALL_TESTS;
    for _ in 0..8 + rng.below(20) {
        let (cell, bits, _) = rng.pick(&CELLS);
        let suffix = |bits: u32| match bits {
            64 => "q",
            32 => "l",
            16 => "w",
            _ => "b",
        };
        let s = suffix(bits);
        let (a, b) = (register(rng.pick(&REGISTERS), bits), register(rng.pick(&REGISTERS), bits));
        let m = format!("({cell})");
        let number = rng.pick(&[0i64, 1, 2, -1, 5, 100, -128, -7]);
        let place = if rng.one_in(2) { b.clone() } else { m.clone() };
        let lock = if place == m && rng.one_in(2) { "lock " } else { "" };
        let line = match rng.below(16) {
            0 => format!("mov{s} ${number},{place}"),
            1 => format!("mov{s} {a},{place}"),
            2 => format!("mov{s} {m},{b}"),
            3 | 4 => {
                tests = ALL_TESTS;
                let op = rng.pick(&["add", "sub", "and", "or", "xor"]);
                if rng.one_in(2) {
                    format!("{lock}{op}{s} {a},{place}")
                } else {
                    format!("{lock}{op}{s} ${number},{place}")
                }
            }
            5 => {
                tests = ALL_TESTS;
                format!("{}{s} {a},{place}", rng.pick(&["cmp", "test"]))
            }
            6 => format!("{lock}{}{s} {place}", rng.pick(&["inc", "dec", "neg", "not"])),
            7 => {
                let by = 1 + rng.below(bits as usize - 1);
                tests = if by == 1 { ALL_TESTS } else { DEFINED };
                format!("{}{s} ${by},{place}", rng.pick(&["shl", "shr", "sar"]))
            }
            8 => format!("xchg{s} {a},{place}"),
            9 if a != b => {
                tests = ALL_TESTS;
                format!("{lock}xadd{s} {a},{place}")
            }
            10 => {
                tests = ALL_TESTS;
                format!("{lock}cmpxchg{s} {a},{place}")
            }
            11 => {
                let (from, to) = rng.pick(&[(8, 16), (8, 32), (8, 64), (16, 32), (16, 64)]);
                let (name, _, _) = CELLS.into_iter().find(|c| c.1 == from).unwrap();
                let source =
                    if rng.one_in(2) { format!("({name})") } else { register(rng.pick(&REGISTERS), from) };
                let kind = rng.pick(&["z", "s"]);
                format!(
                    "mov{kind}{}{} {source},{}",
                    suffix(from),
                    suffix(to),
                    register(rng.pick(&REGISTERS), to)
                )
            }
            12 => {
                let r = |rng: &mut Rng| register(rng.pick(&REGISTERS), 64);
                let (base, index, dest) = (r(rng), r(rng), r(rng));
                format!("leaq {number}({base},{index},{}),{dest}", rng.pick(&[1, 2, 4, 8]))
            }
            13 | 14 if flags => format!("set{} {}", rng.pick(tests), register(rng.pick(&REGISTERS), 8)),
            15 if flags && bits > 8 => {
                format!("cmov{}{s} {},{b}", rng.pick(tests), if rng.one_in(2) { a } else { m })
            }
            13 if bits >= 32 => format!("{}{s} %cl,{place}", rng.pick(&["shl", "shr", "sar"])),
            _ => "nop".to_string(),
        };
        code.push(line);
    }
    let registers =
        REGISTERS.map(|_| if rng.one_in(2) { rng.number() as i64 } else { rng.below(9) as i64 - 4 });
    let cells = CELLS.map(|(_, bits, _)| rng.number() >> (64 - bits));
    Program { code, registers: registers.to_vec(), cells: cells.to_vec() }
}

/// All registers and cells, by the processor; `None` where it cannot be asked.
fn by_the_processor(programs: &[Program]) -> Option<Vec<Vec<u64>>> {
    let mut text = String::from("#include <stdio.h>\n#include <stdint.h>\nuint64_t in[10], out[10];\n");
    for (name, _, ty) in CELLS {
        let _ = writeln!(text, "{ty} {name};");
    }
    let wide: Vec<String> = REGISTERS.iter().map(|r| register(r, 64)).collect();
    let clobbers: Vec<String> = wide.iter().map(|r| format!("\"{}\"", &r[1..])).collect();
    for (n, program) in programs.iter().enumerate() {
        let mut code: Vec<String> =
            wide.iter().enumerate().map(|(i, r)| format!("movq in+{}(%rip),{r}", 8 * i)).collect();
        for line in &program.code {
            let relative = |line: String, (name, ..): (&str, u32, &str)| {
                line.replace(&format!("({name})"), &format!("{name}(%rip)"))
            };
            code.push(CELLS.into_iter().fold(line.clone(), relative));
        }
        code.extend(wide.iter().enumerate().map(|(i, r)| format!("movq {r},out+{}(%rip)", 8 * i)));
        let code = code.join("\\n").replace('%', "%%");
        let _ = writeln!(
            text,
            "static void f{n}(void) {{ __asm__ volatile(\"{code}\" ::: \"memory\", \"cc\", {}); }}",
            clobbers.join(", ")
        );
    }
    text.push_str("int main(void) {\n");
    for (n, program) in programs.iter().enumerate() {
        for (i, value) in program.registers.iter().enumerate() {
            let _ = write!(text, "in[{i}] = {}ull; ", *value as u64);
        }
        for ((name, ..), value) in CELLS.iter().zip(&program.cells) {
            let _ = write!(text, "{name} = {value}ull; ");
        }
        let _ = writeln!(
            text,
            "f{n}(); for (int i = 0; i < 10; i++) printf(\"%llu \", (unsigned long long)out[i]); \
             printf(\"%llu %u %u %u\\n\", (unsigned long long)x, (unsigned)y, (unsigned)z, (unsigned)b);"
        );
    }
    text.push_str("return 0; }\n");
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR"));
    let (source, binary) = (folder.join("machine.c"), folder.join("machine"));
    std::fs::write(&source, text).ok()?;
    let compiled =
        Command::new("cc").args(["-O0", "-no-pie", "-w", "-o"]).args([&binary, &source]).output().ok()?;
    if !compiled.status.success() {
        panic!("the compiler refuses the code:\n{}", String::from_utf8_lossy(&compiled.stderr));
    }
    let output = Command::new(&binary).output().ok()?;
    let lines = String::from_utf8(output.stdout).ok()?;
    Some(lines.lines().map(|l| l.split(' ').map(|n| n.parse().unwrap()).collect()).collect())
}

fn by_the_test(program: &Program) -> (String, Vec<u64>) {
    let mut text = String::from("X86_64 machine\n{\n");
    for ((name, _, ty), value) in CELLS.iter().zip(&program.cells) {
        let _ = writeln!(text, "{ty} {name}={value};");
    }
    for (name, value) in REGISTERS.iter().zip(&program.registers) {
        let _ = writeln!(text, "uint64_t 0:{}={value};", &register(name, 64)[1..]);
    }
    text.push_str("}\n P0 ;\n");
    for line in &program.code {
        let _ = writeln!(text, " {line} ;");
    }
    let registers: Vec<String> = REGISTERS.iter().map(|r| format!("0:{};", &register(r, 64)[1..])).collect();
    let _ = writeln!(text, "locations [{} x; y; z; b;]", registers.join(" "));
    let test = read_test("machine.litmus", &text).unwrap_or_else(|(_, d)| panic!("{d:?}\n{text}"));
    let mut graph = pipeline::lower(test.program.clone());
    test.observe(&mut graph);
    let task =
        Task { program: &graph, model: Model::Tso, bounds: Bounds::default(), budget: Budget::default() };
    let mut found = Vec::new();
    let finals = Explicit::default().final_states(&task, &mut |state| {
        let value = |o: &Observable| match *o {
            Observable::Cell(loc) => state.read(loc) as u64,
            Observable::Register(_, Reg::Local(slot)) => state.threads[0].registers[slot as usize] as u64,
            Observable::Register(_, Reg::Thread(_)) => unreachable!("litmus tests have none"),
        };
        found = test.observables(&graph).iter().map(value).collect();
    });
    assert_eq!(finals, Finals::All);
    (text, found)
}

#[test]
fn instructions_do_what_the_processor_does() {
    if !cfg!(target_arch = "x86_64") || !programs::has("cc") {
        println!("skipped: no x86-64 machine with a C compiler");
        return;
    }
    let mut rng = Rng::new(3);
    let programs: Vec<Program> = (0..PROGRAMS).map(|_| program(&mut rng)).collect();
    let Some(expected) = by_the_processor(&programs) else {
        println!("skipped: the compiled code cannot be run");
        return;
    };
    assert_eq!(expected.len(), programs.len());
    for (program, expected) in programs.iter().zip(&expected) {
        let (text, found) = by_the_test(program);
        assert_eq!(&found, expected, "{text}");
    }
}
