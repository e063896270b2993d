//! What comes from outside the program: clocks, input, the command line.

use super::*;
use crate::types::Rank;

/// How many processors there are.
const PROCESSORS: i64 = 2;

/// What `sysconf` knows, by Linux' numbers.
const SC_CLK_TCK: i128 = 2;
const SC_PAGESIZE: i128 = 30;
const SC_NPROCESSORS_CONF: i128 = 83;
const SC_NPROCESSORS_ONLN: i128 = 84;

impl<'a> Lowerer<'a> {
    /// The structure that a function of the calendar gives a pointer to.
    fn calendar(&mut self, function: &str, span: Span) -> Result<Typed> {
        let Some(Symbol::Function(index)) = self.lookup(function).cloned() else {
            return Err(Diagnostic::new(span, format!("`{function}` is not declared")));
        };
        let ty = self.functions[index].ty.result.unqualified().clone();
        let storage = ty.element().and_then(|to| self.types().storage(to));
        let storage = storage.ok_or_else(|| self.no_values(&ty, span))?;
        let name = "%calendar";
        let known = self.program.shared.iter().position(|v| v.name == name && v.ty == storage);
        let id = known.unwrap_or_else(|| {
            let layout = self.program.records.layout(&storage);
            let init = layout.iter().map(|cell| Choices::one(cell.ty.default_value())).collect();
            self.program.shared.push(Variable::new(name.into(), storage, init, span));
            self.program.shared.len() - 1
        });
        let scalar = self.types().scalar(&ty).expect("pointers are scalars");
        let place = Place::variable(VarRef::Shared(SharedId(id)), span);
        Ok(Typed { expr: Expr { kind: ExprKind::AddressOf(place), ty: scalar, span }, ty })
    }

    /// What a pointer to a time says.
    fn moment(&mut self, time: &'a ast::Expr, span: Span) -> Result<Expr> {
        let time = self.scalar(time)?;
        let time = self.pointed(time, span)?;
        let Value::Scalar(time) = self.load(time, span)? else {
            return Err(Diagnostic::new(span, "this is not a time"));
        };
        let time = self.convert(time, &CType::integer(Rank::LongLong, true), span)?;
        Ok(self.keep(time.expr))
    }

    /// Sets the members of a date: nine numbers, then what is 0 in Greenwich.
    fn set_date(&mut self, date: Typed, time: Expr, span: Span) -> Result<()> {
        let date = self.pointed(date, span)?;
        let int = self.types().scalar(&CType::INT).expect("int is a scalar");
        for (i, (_, place, scalar)) in self.fillable(&date.place, &date.ty, span)?.into_iter().enumerate() {
            let value = match i {
                0..9 => {
                    let member = Expr::constant(i as i64, int, span);
                    let value = self.put("__fencepost_date", vec![time.clone(), member], span)?;
                    convert::wrapping(value.expr, scalar, span)
                }
                _ => Expr::constant(0, scalar, span),
            };
            self.emit(StmtKind::Assign(place, value), span);
        }
        Ok(())
    }

    /// Writes a date as a format says.
    fn date_text(&mut self, text: [&'a ast::Expr; 3], date: &'a ast::Expr, span: Span) -> Result<Value> {
        let chars = CType::CHAR.pointer_to();
        let mut args = Vec::new();
        for (arg, ty) in text.into_iter().zip([chars.clone(), CType::UNSIGNED_LONG, chars]) {
            let value = self.scalar(arg)?;
            let value = self.convert(value, &ty, span)?;
            args.push(self.keep(value.expr));
        }
        let date = self.scalar(date)?;
        let date = self.pointed(date, span)?;
        let int = self.types().scalar(&CType::INT).expect("int is a scalar");
        for (_, place, scalar) in self.fillable(&date.place, &date.ty, span)?.into_iter().take(8) {
            let member = Expr { kind: ExprKind::Read(place), ty: scalar, span };
            args.push(self.keep(convert::wrapping(member, int, span)));
        }
        self.put("__fencepost_date_text", args, span).map(Value::Scalar)
    }

    /// A function that asks the world, if it is one.
    pub(super) fn environment_call(
        &mut self,
        name: &str,
        args: &'a [ast::Expr],
        span: Span,
    ) -> Result<Option<Value>> {
        let value = match (name, args) {
            ("time", [out]) => {
                let now = self.now(span)?;
                let target = self.scalar(out)?;
                if self.fold(&target.expr) != Some(0) {
                    let target = self.pointed(target, span)?;
                    let value = self.convert(now.clone(), &target.ty, span)?;
                    self.store(&target, value.expr, span);
                }
                Value::Scalar(now)
            }
            ("clock" | "__rdtsc" | "__builtin_ia32_rdtsc", []) => Value::Scalar(self.now(span)?),
            ("clock_gettime" | "timespec_get", [first, second]) => {
                let out = if name == "clock_gettime" { second } else { first };
                self.set_time(out, span)?;
                match name {
                    "clock_gettime" => self.zero(span),
                    _ => Value::Scalar(self.scalar(second)?),
                }
            }
            ("gettimeofday" | "ftime", [out, ..]) => {
                self.set_time(out, span)?;
                self.zero(span)
            }
            ("sscanf", [text, format, outs @ ..])
                if let Some(value) = self.scan(text, format, outs, span)? =>
            {
                value
            }
            ("scanf", [_, outs @ ..]) | ("sscanf" | "fscanf", [_, _, outs @ ..]) => {
                for out in outs {
                    let target = self.scalar(out)?;
                    let target = self.pointed(target, out.span)?;
                    let value = self.anything_of(&target.ty, out.span)?;
                    self.store(&target, value, span);
                }
                let most = outs.len() as i64;
                Value::Scalar(self.choice(&CType::INT, -1, most, span))
            }
            ("getchar" | "fgetc" | "getc", _) => {
                Value::Scalar(self.choice(&CType::INT, -1, u8::MAX.into(), span))
            }
            // The command line has no options.
            ("getopt" | "getopt_long" | "getopt_long_only", _) => {
                Value::Scalar(self.int_constant(-1, &CType::INT, span))
            }
            ("getenv" | "secure_getenv", [_]) => {
                if self.sets_environment {
                    let message = format!("`{name}` is not supported in a program that sets such variables");
                    return Err(Diagnostic::new(span, message));
                }
                let text = CType::CHAR.pointer_to();
                let zero = self.int_constant(0, &CType::INT, span);
                Value::Scalar(self.convert(zero, &text, span)?)
            }
            ("strerror" | "ctime", [_]) => {
                let units = "error".bytes().map(u32::from).collect();
                let literal = ast::StringLiteral { units, encoding: ast::Encoding::Plain };
                let text = self.string(&literal, span)?;
                return self.load(text, span).map(Some);
            }
            // Everybody lives in Greenwich.
            ("localtime_r" | "gmtime_r", [time, out]) => {
                let time = self.moment(time, span)?;
                let pointer = self.scalar(out)?;
                let pointer = Typed { expr: self.keep(pointer.expr), ty: pointer.ty };
                self.set_date(pointer.clone(), time, span)?;
                Value::Scalar(pointer)
            }
            ("localtime" | "gmtime", [time]) => {
                let time = self.moment(time, span)?;
                let pointer = self.calendar(name, span)?;
                self.set_date(pointer.clone(), time, span)?;
                Value::Scalar(pointer)
            }
            ("strftime", [to, size, format, date]) => self.date_text([to, size, format], date, span)?,
            ("sem_open", [name, flags, rest @ ..]) => {
                let value = rest.get(1);
                self.library_function("__fencepost_sem_open", [Some(name), Some(flags), value], span)?
            }
            ("syscall", [number, rest @ ..]) => self.system_call(number, rest, span)?,
            ("getpid", []) => Value::Scalar(self.int_constant(1, &CType::INT, span)),
            ("get_nprocs" | "get_nprocs_conf", _) => {
                Value::Scalar(self.int_constant(PROCESSORS, &CType::LONG, span))
            }
            ("sysconf", [setting]) => match self.constant(setting) {
                Ok(SC_PAGESIZE) => Value::Scalar(self.int_constant(4096, &CType::LONG, span)),
                Ok(SC_NPROCESSORS_CONF | SC_NPROCESSORS_ONLN) => {
                    Value::Scalar(self.int_constant(PROCESSORS, &CType::LONG, span))
                }
                Ok(SC_CLK_TCK) => Value::Scalar(self.int_constant(100, &CType::LONG, span)),
                _ => {
                    self.effect(setting)?;
                    Value::Scalar(self.choice(&CType::LONG, -1, i32::MAX.into(), span))
                }
            },
            ("sched_getcpu", []) => Value::Scalar(self.choice(&CType::INT, 0, PROCESSORS - 1, span)),
            ("__builtin_va_start", [list, ..]) => self.first_argument(list, span)?,
            ("__builtin_va_copy", [to, from]) => self.copy_arguments(to, from, span)?,
            ("__builtin_va_end", _) => Value::Void,
            ("snprintf" | "__builtin_snprintf", [to, size, format, rest @ ..]) => {
                self.format(to, Some(size), format, rest, span)?
            }
            ("sprintf" | "__builtin_sprintf", [to, format, rest @ ..]) => {
                self.format(to, None, format, rest, span)?
            }
            _ => return Ok(None),
        };
        Ok(Some(value))
    }

    /// A call of the kernel by its number: futexes, and what else has a function of its own.
    fn system_call(&mut self, number: &'a ast::Expr, args: &'a [ast::Expr], span: Span) -> Result<Value> {
        let (futex, thread, barrier) = match self.data_model {
            DataModel::Lp64 => (202, 186, 324),
            DataModel::Ilp32 => (240, 224, 375),
        };
        match (self.constant(number), args) {
            (Ok(n), []) if n == thread => self.library_function("gettid", [None; 3], span),
            (Ok(n), [word, operation, value, rest @ ..]) if n == futex => {
                self.evaluate(rest)?;
                let args = [Some(word), Some(operation), Some(value)];
                self.library_function("__fencepost_futex", args, span)
            }
            (Ok(n), _) if n == barrier => {
                let message = "`membarrier`, a fence that one thread sets for all, is not supported";
                let help = "let the other threads have a fence of their own, `atomic_thread_fence(memory_order_seq_cst)`";
                Err(Diagnostic::new(span, message).help(help))
            }
            _ => Err(Diagnostic::new(span, "this system call is not supported").help("futexes are")),
        }
    }

    /// `stdin` and its like, which point to a file as any other.
    pub(super) fn standard_file(&mut self, index: usize, span: Span) -> Result<Typed> {
        let Some(Symbol::Global(file)) = self.library.get("__fencepost_file").cloned() else {
            panic!("the library has a file")
        };
        let place = Place::variable(self.global(file, span)?, span);
        let address = self.address_of(Lvalue { place, ty: CType::CHAR }, span)?;
        Ok(Typed { ty: self.globals[index].ty.unqualified().clone(), ..address })
    }

    /// A function of the library with three parameters, of which those are 0 that are not given.
    fn library_function(
        &mut self,
        name: &str,
        args: [Option<&'a ast::Expr>; 3],
        span: Span,
    ) -> Result<Value> {
        let Some(Symbol::Function(index)) = self.library.get(name).cloned() else {
            panic!("the library has `{name}`")
        };
        let params = self.functions[index].ty.params.clone().unwrap_or_default();
        let mut words = Vec::new();
        for (arg, ty) in args.into_iter().zip(&params) {
            let arg = match arg {
                Some(arg) => self.scalar(arg)?,
                None => self.int_constant(0, &CType::INT, span),
            };
            let arg = self.convert(arg, ty, span)?;
            words.push(self.keep(arg.expr));
        }
        self.inline(index, words, span)
    }

    /// A clock's reading.
    fn now(&mut self, span: Span) -> Result<Typed> {
        let Some(Symbol::Function(index)) = self.library.get("__fencepost_now").cloned() else {
            panic!("the library has a clock")
        };
        match self.inline(index, Vec::new(), span)? {
            Value::Scalar(now) => Ok(Typed { expr: self.keep(now.expr), ..now }),
            Value::Record(..) | Value::Void => panic!("a clock shows a number"),
        }
    }

    /// Sets the first member of a structure to a clock's reading, and the others to zero.
    fn set_time(&mut self, out: &'a ast::Expr, span: Span) -> Result<()> {
        let now = self.now(span)?;
        let target = self.scalar(out)?;
        let target = self.pointed(target, span)?;
        let ty = target.ty.unqualified().clone();
        for (i, (_, place, scalar)) in self.scalars_of(&target.place, &ty, span)?.into_iter().enumerate() {
            let value = match i {
                0 => convert::wrapping(now.expr.clone(), scalar, span),
                _ => Expr::constant(0, scalar, span),
            };
            self.emit(StmtKind::Assign(place, value), span);
        }
        Ok(())
    }

    /// Any value of a scalar type.
    pub(super) fn anything_of(&mut self, ty: &CType, span: Span) -> Result<Expr> {
        let scalar = self.types().scalar(ty).ok_or_else(|| self.no_values(ty, span))?;
        let any = statement::anything(scalar).ok_or_else(|| self.no_values(ty, span))?;
        Ok(Expr { kind: ExprKind::Any(any), ty: scalar, span })
    }

    /// Any value of a range.
    pub(super) fn choice(&mut self, ty: &CType, lo: i64, hi: i64, span: Span) -> Typed {
        let scalar = self.types().scalar(ty).expect("integers are scalars");
        let expr = Expr { kind: ExprKind::Any(Choices(vec![(lo, hi)])), ty: scalar, span };
        Typed { expr, ty: ty.clone() }
    }

    /// The unsigned type that holds every size and number.
    pub(super) fn widest(&self) -> CType {
        CType::integer(Rank::LongLong, false)
    }
}
