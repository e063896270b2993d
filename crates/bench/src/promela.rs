//! A control-flow graph as Promela, step for step: what one edge does is one statement of spin's,
//! so that both count the same states under SC. For programs without calls, locks, spawning,
//! choices of values and thread ends, which is what the bench needs.

use fencepost_ir::cfg::{
    Address, Arith, Count, Dest, Edge, Expr, Instr, NodeId, Procedure, Program, Reg, UnaryOp,
};
use fencepost_ir::{Scalar, Type};
use std::fmt::Write;

/// The Promela text, or what cannot be said in it.
pub fn promela(program: &Program) -> Result<String, String> {
    let mut out = String::new();
    for object in &program.objects {
        let init = object.init.iter().map(|c| c.single().ok_or("several initial values"));
        let init: Vec<i64> = init.collect::<Result<_, _>>()?;
        if init.iter().any(|v| *v != init[0]) {
            return Err("different initial values in one array".into());
        }
        let leaf = object.ty.leaf().ok_or("a record")?;
        let (ty, name) = (type_of(leaf)?, &object.name);
        let _ = match object.ty.dims()[..] {
            [] => writeln!(out, "{ty} {name} = {};", init[0]),
            [n] => writeln!(out, "{ty} {name}[{n}] = {};", init[0]),
            _ => return Err("more than one dimension".into()),
        };
    }
    for (t, start) in program.threads.iter().enumerate() {
        if start.count != Count::Times(1) {
            return Err("several threads of one start".into());
        }
        let procedure = program.procedure(start.procedure);
        let _ = writeln!(out, "active proctype t{t}() {{");
        for (slot, register) in procedure.registers.iter().enumerate() {
            let init = start.args.get(slot).copied().unwrap_or(register.init);
            let _ = writeln!(out, "  {} r{slot} = {init};", type_of(register.ty)?);
        }
        for node in 0..procedure.nodes {
            let edges: Vec<&Edge> = procedure.out(NodeId(node)).map(|(_, e)| e).collect();
            if edges.is_empty() {
                continue;
            }
            let _ = writeln!(out, "n{node}: if");
            for edge in edges {
                let statement = statement(program, procedure, &edge.instr)?;
                let _ = writeln!(out, "  :: {statement}; goto n{}", edge.to.0);
            }
            let _ = writeln!(out, "  fi;");
        }
        let _ = writeln!(out, "}}");
    }
    Ok(out)
}

fn type_of(ty: Scalar) -> Result<&'static str, String> {
    let (lo, hi) = ty.limits();
    match ty {
        Scalar::Bool => Ok("bool"),
        _ if lo >= 0 && hi <= 255 => Ok("byte"),
        _ if lo >= i16::MIN.into() && hi <= i16::MAX.into() => Ok("short"),
        _ if lo >= i32::MIN.into() && hi <= i32::MAX.into() => Ok("int"),
        _ => Err(format!("the type {ty}")),
    }
}

fn statement(program: &Program, procedure: &Procedure, instr: &Instr) -> Result<String, String> {
    let cell = |address: &Address| {
        let Address::Cell { object, index } = address else { return Err("a pointer".to_string()) };
        let object = program.object(*object);
        Ok(match object.ty {
            Type::Scalar(_) => object.name.clone(),
            Type::Array(..) | Type::Record(_) => format!("{}[{}]", object.name, expr(index)?),
        })
    };
    let register = |dest: &Dest| match dest {
        Dest::Reg(Reg::Local(slot)) => Ok(format!("r{slot}")),
        _ => Err("an array of registers".to_string()),
    };
    Ok(match instr {
        Instr::Nop | Instr::Choose => "skip".into(),
        Instr::Assign(dest, value) => format!("{} = {}", register(dest)?, expr(value)?),
        Instr::Load(dest, address) => format!("{} = {}", register(dest)?, cell(address)?),
        Instr::Store(address, value) => format!("{} = {}", cell(address)?, expr(value)?),
        Instr::Assume(condition) => format!("({})", expr(condition)?),
        _ => return Err(format!("an instruction of `{}`", procedure.name)),
    })
}

fn expr(e: &Expr) -> Result<String, String> {
    Ok(match e {
        Expr::Const(value) => value.to_string(),
        Expr::Reg(Reg::Local(slot)) => format!("r{slot}"),
        Expr::Check { arg, .. } | Expr::Index(_, arg) => expr(arg)?,
        Expr::Unary(op, Arith::Exact, arg) => {
            let symbol = if *op == UnaryOp::Neg { "-" } else { op.symbol() };
            format!("({symbol}{})", expr(arg)?)
        }
        Expr::Binary(op, Arith::Exact, left, right) => {
            format!("({} {} {})", expr(left)?, op.symbol(), expr(right)?)
        }
        _ => return Err("an expression".into()),
    })
}
