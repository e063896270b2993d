//! Initialisers: what each scalar of a variable starts with.
//!
//! An initialiser becomes a list of (path, value) pairs in the order of the text, with brackets left
//! out and designators as C has them; scalars that are not named start with zero.

use super::*;
use crate::ast::{Designator, Initializer, InitializerItem};
use fencepost_ir::InitialCells;
use std::iter::Peekable;

/// A scalar's place in a variable.
type Path = Vec<Step>;

/// A value of an initialiser.
enum Item<'a> {
    /// An expression for a scalar.
    Expr(&'a ast::Expr),
    /// A unit of a string.
    Unit(u32),
    /// An expression for a whole structure.
    Record(&'a ast::Expr),
}

struct Initial<'a> {
    path: Path,
    ty: CType,
    item: Item<'a>,
}

impl<'a> Lowerer<'a> {
    /// The initial values of a variable that lives as long as the program.
    pub(super) fn static_initializer(
        &mut self,
        ty: &CType,
        initializer: &'a Initializer,
    ) -> Result<Vec<Choices>> {
        let storage = self.types().storage(ty).ok_or_else(|| self.no_values(ty, Span::NONE))?;
        let initials = self.initials(ty, initializer)?;
        self.static_values(&storage, initials)
    }

    fn static_values(&mut self, storage: &Type, initials: Vec<Initial<'a>>) -> Result<Vec<Choices>> {
        let mut cells = InitialCells::zero(&self.program.records, storage);
        for Initial { path, ty, item } in initials {
            if let (Some(_), Item::Record(e) | Item::Expr(e)) = (self.is_wide(&ty), &item) {
                let number = self.constant(e)?;
                for (field, word) in [number as i64, (number >> 64) as i64].into_iter().enumerate() {
                    let path = [&path[..], &[Step::Field(field)]].concat();
                    let (offset, scalar) = self.program.records.offset(storage, &path);
                    cells.set(offset, scalar, word);
                }
                continue;
            }
            let value = match item {
                Item::Record(e) => return Err(constant::not_constant(e.span)),
                Item::Unit(unit) => i64::from(unit as i32),
                Item::Expr(e) => {
                    let value = self.constant_typed(e)?;
                    let value = self.convert(value, &ty, e.span)?;
                    self.fold(&value.expr).ok_or_else(|| {
                        Diagnostic::new(e.span, "the initialiser of a static variable is a constant")
                    })?
                }
            };
            let (offset, scalar) = self.program.records.offset(storage, &path);
            let value = match ty.bits() {
                Some(bits) => bits.placed(value, cells.get(offset, scalar).unwrap_or(0)),
                None => value,
            };
            cells.set(offset, scalar, value);
        }
        Ok(cells.values())
    }

    /// Assigns a local variable its initial value, every scalar of it.
    pub(super) fn initialize(
        &mut self,
        target: &Place,
        ty: &CType,
        initializer: &'a Initializer,
        before: Before,
        span: Span,
    ) -> Result<()> {
        if let (CType::Record(_), Initializer::Expr(e)) = (ty.unqualified(), initializer)
            && self.is_wide(ty).is_none()
            && let Value::Record(from, _) = self.value(e)?
        {
            return self.copy(target, &from, ty, span);
        }
        let storage = self.types().storage(ty).ok_or_else(|| self.no_values(ty, span))?;
        let initials = self.initials(ty, initializer)?;
        self.assign_initials(target, &storage, initials, before, span)
    }

    fn assign_initials(
        &mut self,
        target: &Place,
        storage: &Type,
        initials: Vec<Initial<'a>>,
        before: Before,
        span: Span,
    ) -> Result<()> {
        let mut given: HashMap<Path, Expr> = HashMap::new();
        for Initial { path, ty, item } in initials {
            if let (Some(_), Item::Record(e) | Item::Expr(e)) = (self.is_wide(&ty), &item) {
                for (field, word) in self.words_of(e)?.into_iter().enumerate() {
                    let word = self.keep(word);
                    given.insert([&path[..], &[Step::Field(field)]].concat(), word);
                }
                continue;
            }
            let value = match item {
                Item::Record(e) => {
                    let Value::Record(from, from_ty) = self.value(e)? else {
                        return Err(Diagnostic::new(e.span, "this is not a structure"));
                    };
                    if from_ty != *ty.unqualified() {
                        return Err(Diagnostic::new(e.span, "this is another structure"));
                    }
                    for (inner, place, scalar) in self.scalars_of(&from, &ty, e.span)? {
                        let read = Expr { kind: ExprKind::Read(place), ty: scalar, span: e.span };
                        let read = self.keep(read);
                        given.insert([&path[..], &inner].concat(), read);
                    }
                    continue;
                }
                Item::Unit(unit) => {
                    let scalar = self.types().scalar(&ty).ok_or_else(|| self.no_values(&ty, span))?;
                    let Scalar::Int(int) = scalar else { return Err(self.no_values(&ty, span)) };
                    Expr::constant(int.wrap(unit.into()), scalar, span)
                }
                Item::Expr(e) => {
                    let value = self.scalar(e)?;
                    let value = self.convert(value, &ty, e.span)?.expr;
                    self.keep(value)
                }
            };
            let value = match (ty.bits(), given.remove(&path)) {
                (None, _) => value,
                (Some(bits), others) => self.placed_bits(&bits.clone(), value, others, span),
            };
            given.insert(path, value);
        }
        let mut cells = Vec::new();
        self.program.records.scalars(storage, &mut Vec::new(), &mut |path, scalar| {
            cells.push((path.to_vec(), scalar));
        });
        for (path, scalar) in cells {
            if scalar == Scalar::Mutex || self.passes_unused_union(storage, &path, &given) {
                continue;
            }
            if before == Before::Zero && !given.contains_key(&path) {
                continue;
            }
            let value =
                given.remove(&path).unwrap_or_else(|| Expr::constant(scalar.default_value(), scalar, span));
            let mut place = target.clone();
            place.path.extend(path.iter().map(|step| match step {
                Step::Index(i) => {
                    Projection::Index(self.int_constant(i64::from(*i), &CType::LONG, span).expr)
                }
                Step::Field(i) => Projection::Field(*i),
            }));
            self.emit(StmtKind::Assign(place, value), span);
        }
        Ok(())
    }

    /// Whether the path enters a union by a member other than the one that is initialised, which is
    /// the first if none is.
    fn passes_unused_union(&self, ty: &Type, path: &Path, given: &HashMap<Path, Expr>) -> bool {
        let records = &self.program.records;
        let mut ty = ty;
        for (i, step) in path.iter().enumerate() {
            ty = match (step, ty) {
                (Step::Index(_), Type::Array(element, _)) => element,
                (Step::Field(field), Type::Record(id)) => {
                    let record = records.get(*id);
                    if record.kind == RecordKind::Union {
                        let prefix = &path[..i];
                        let used = given.keys().find(|g| g.len() > i && g[..i] == *prefix);
                        let used = match used.map(|g| &g[i]) {
                            Some(Step::Field(used)) => *used,
                            _ => 0,
                        };
                        if used != *field {
                            return true;
                        }
                    }
                    &record.fields[*field].ty
                }
                _ => return false,
            };
        }
        false
    }

    /// The number of elements that an initialiser gives an array.
    pub(super) fn initializer_length(&mut self, of: &CType, initializer: &'a Initializer) -> Result<u64> {
        let open = CType::Array(Rc::new(of.clone()), Some(u64::from(u32::MAX)));
        let initials = self.initials(&open, initializer)?;
        let last = initials.iter().filter_map(|i| match i.path.first() {
            Some(Step::Index(n)) => Some(u64::from(*n) + 1),
            _ => None,
        });
        Ok(last.max().unwrap_or(0))
    }

    fn initials(&mut self, ty: &CType, initializer: &'a Initializer) -> Result<Vec<Initial<'a>>> {
        let mut found = Vec::new();
        match initializer {
            Initializer::Expr(e) => match (&e.kind, ty.unqualified()) {
                (ast::ExprKind::String(literal), CType::Array(of, n)) => {
                    string_units(literal, of, *n, &mut Vec::new(), &mut found);
                }
                (ast::ExprKind::CompoundLiteral(_, list), CType::Array(..) | CType::Record(_)) => {
                    self.list(ty, &list.items, &mut Vec::new(), &mut found)?;
                }
                (_, CType::Array(..)) => {
                    return Err(Diagnostic::new(e.span, "an array is initialised by a list in braces"));
                }
                _ => found.push(Initial { path: Vec::new(), ty: ty.clone(), item: Item::Expr(e) }),
            },
            Initializer::List(list) => self.list(ty, &list.items, &mut Vec::new(), &mut found)?,
        }
        Ok(found)
    }

    /// A list in braces for something of the type.
    fn list(
        &mut self,
        ty: &CType,
        items: &'a [InitializerItem],
        path: &mut Path,
        found: &mut Vec<Initial<'a>>,
    ) -> Result<()> {
        match ty.unqualified() {
            CType::Mutex | CType::Thread => return Ok(()),
            CType::Record(id) if id.0 < self.library_records => {
                return self.library_list(*id, items, path, found);
            }
            _ => {}
        }
        if let (Some(_), [only]) = (self.is_wide(ty), items) {
            return self.item_value(ty, &only.value, path, found);
        }
        // A string in braces of its own.
        if let (CType::Array(of, n), [only]) = (ty.unqualified(), items)
            && let Initializer::Expr(e) = &only.value
            && let ast::ExprKind::String(literal) = &e.kind
            && of.is_integer()
        {
            string_units(literal, of, *n, path, found);
            return Ok(());
        }
        let mut items = items.iter().peekable();
        self.members_from(0, ty, &mut items, path, found, Braces::Own)?;
        match items.peek() {
            Some(extra) => Err(Diagnostic::new(extra.span, "there are more initialisers than members")),
            None => Ok(()),
        }
    }

    /// Static initialisers of thread libraries' types, which were written for other members. They
    /// say nothing, but that of a mutex may tell its kind.
    fn library_list(
        &mut self,
        id: RecordId,
        items: &'a [InitializerItem],
        path: &Path,
        found: &mut Vec<Initial<'a>>,
    ) -> Result<()> {
        let kind = self.program.records.get(id).fields.iter().position(|f| f.name == "kind");
        let Some(kind) = kind else { return Ok(()) };
        for item in items {
            match &item.value {
                Initializer::List(inner) => self.library_list(id, &inner.items, path, found)?,
                Initializer::Expr(e) => {
                    if self.constant(e)? != 0 {
                        let path = [&path[..], &[Step::Field(kind)]].concat();
                        found.push(Initial { path, ty: CType::INT, item: Item::Expr(e) });
                    }
                }
            }
        }
        Ok(())
    }

    /// Takes from `items` what the members of the type need, from a position on.
    fn members_from(
        &mut self,
        first: u64,
        ty: &CType,
        items: &mut Peekable<std::slice::Iter<'a, InitializerItem>>,
        path: &mut Path,
        found: &mut Vec<Initial<'a>>,
        braces: Braces,
    ) -> Result<()> {
        let count = match ty.unqualified() {
            CType::Array(_, n) => n.unwrap_or(u64::from(u32::MAX)),
            CType::Record(id) => match self.program.records.get(*id).kind {
                RecordKind::Struct => self.members[id.0 as usize].len() as u64,
                RecordKind::Union => 1,
            },
            _ => {
                // A scalar in braces.
                if let Some(item) = items.next() {
                    self.item_value(ty, &item.value, path, found)?;
                }
                return Ok(());
            }
        };
        let mut position = first;
        let mut entered_union = first > 0;
        while let Some(item) = items.peek() {
            if !item.designators.is_empty() {
                if braces == Braces::Outer {
                    return Ok(());
                }
                let item = items.next().expect("just seen");
                let levels = self.levels(ty, &item.designators)?;
                position = self.designated(ty, &levels, item, items, path, found)?;
                entered_union = true;
                continue;
            }
            let is_union = matches!(ty.unqualified(), CType::Record(id)
                if self.program.records.get(*id).kind == RecordKind::Union);
            if position >= count || is_union && entered_union {
                return Ok(());
            }
            let (step, inner) = self.child(ty, position);
            path.push(step);
            self.next_member(&inner, items, path, found)?;
            path.pop();
            position += 1;
        }
        Ok(())
    }

    fn child(&self, ty: &CType, position: u64) -> (Step, CType) {
        match ty.unqualified() {
            CType::Array(of, _) => (Step::Index(position as u32), (**of).clone()),
            CType::Record(id) => {
                let member = &self.members[id.0 as usize][position as usize];
                (Step::Field(member.field), member.ty.clone())
            }
            _ => panic!("only arrays and records have members"),
        }
    }

    /// The next member, from one item or, without braces, from as many as it has scalars.
    fn next_member(
        &mut self,
        ty: &CType,
        items: &mut Peekable<std::slice::Iter<'a, InitializerItem>>,
        path: &mut Path,
        found: &mut Vec<Initial<'a>>,
    ) -> Result<()> {
        let Some(item) = items.peek() else { return Ok(()) };
        let whole = match (&item.value, ty.unqualified()) {
            (Initializer::List(_), _) => true,
            (Initializer::Expr(e), CType::Array(of, _)) => {
                matches!(e.kind, ast::ExprKind::String(_)) && of.is_integer()
            }
            (Initializer::Expr(_), wide) if self.is_wide(wide).is_some() => true,
            (Initializer::Expr(e), CType::Record(id)) => {
                let id = *id;
                let could_be = matches!(
                    e.kind,
                    ast::ExprKind::CompoundLiteral(..)
                        | ast::ExprKind::Identifier(_)
                        | ast::ExprKind::Call(..)
                        | ast::ExprKind::Unary(ast::UnaryOp::Deref, _)
                        | ast::ExprKind::Member(..)
                        | ast::ExprKind::Index(..)
                );
                could_be && *self.type_of(e)?.unqualified() == CType::Record(id)
            }
            _ => true,
        };
        if whole {
            let item = items.next().expect("just seen");
            return self.item_value(ty, &item.value, path, found);
        }
        self.members_from(0, ty, items, path, found, Braces::Outer)
    }

    fn item_value(
        &mut self,
        ty: &CType,
        value: &'a Initializer,
        path: &mut Path,
        found: &mut Vec<Initial<'a>>,
    ) -> Result<()> {
        match (value, ty.unqualified()) {
            (Initializer::List(list), _) => self.list(ty, &list.items, path, found),
            (Initializer::Expr(e), CType::Array(of, n)) => match &e.kind {
                ast::ExprKind::String(literal) => {
                    string_units(literal, of, *n, path, found);
                    Ok(())
                }
                _ => Err(Diagnostic::new(e.span, "an array is initialised by a list in braces")),
            },
            (Initializer::Expr(e), CType::Record(_)) => match &e.kind {
                ast::ExprKind::CompoundLiteral(_, list) => self.list(ty, &list.items, path, found),
                _ => {
                    found.push(Initial { path: path.clone(), ty: ty.clone(), item: Item::Record(e) });
                    Ok(())
                }
            },
            (Initializer::Expr(e), _) => {
                found.push(Initial { path: path.clone(), ty: ty.clone(), item: Item::Expr(e) });
                Ok(())
            }
        }
    }

    /// The positions that designators lead through, one level after the other.
    fn levels(&mut self, ty: &CType, designators: &'a [Designator]) -> Result<Vec<(u64, u64)>> {
        let mut ty = ty.clone();
        let mut levels = Vec::new();
        for designator in designators {
            let (from, to) = match (designator, ty.unqualified().clone()) {
                (Designator::Field(name), CType::Record(id)) => {
                    let path = self.member_path(id, &name.text).ok_or_else(|| {
                        let message = format!("`{}` has no member `{}`", self.types().show(&ty), name.text);
                        Diagnostic::new(name.span, message)
                    })?;
                    // Members of unnamed records lie some levels deeper.
                    for field in path {
                        let CType::Record(id) = *ty.unqualified() else {
                            panic!("a path goes through records")
                        };
                        levels.push((field as u64, field as u64));
                        ty = self.members[id.0 as usize][field].ty.clone();
                    }
                    continue;
                }
                (Designator::Index(index), CType::Array(..)) => {
                    let i = self.constant(index)?;
                    (i, i)
                }
                (Designator::Range(from, to), CType::Array(..)) => (self.constant(from)?, self.constant(to)?),
                (Designator::Field(name), _) => {
                    return Err(Diagnostic::new(name.span, "this designator does not fit the type"));
                }
                (Designator::Index(e) | Designator::Range(e, _), _) => {
                    return Err(Diagnostic::new(e.span, "this designator does not fit the type"));
                }
            };
            let CType::Array(of, n) = ty.unqualified().clone() else { panic!("just matched") };
            let (Designator::Index(e) | Designator::Range(e, _)) = designator else { continue };
            if from < 0 || to < from || to >= i128::from(n.unwrap_or(u64::from(u32::MAX))) {
                return Err(Diagnostic::new(e.span, "this index is outside the array"));
            }
            levels.push((from as u64, to as u64));
            ty = (*of).clone();
        }
        Ok(levels)
    }

    /// A designated item, and those after it that go on where it stands; gives the position behind.
    fn designated(
        &mut self,
        ty: &CType,
        levels: &[(u64, u64)],
        item: &'a InitializerItem,
        items: &mut Peekable<std::slice::Iter<'a, InitializerItem>>,
        path: &mut Path,
        found: &mut Vec<Initial<'a>>,
    ) -> Result<u64> {
        let ((from, to), rest) = levels.split_first().expect("a designated item has a designator");
        for position in *from..=*to {
            let (step, inner) = self.child(ty, position);
            path.push(step);
            if rest.is_empty() {
                self.item_value(&inner, &item.value, path, found)?;
            } else {
                let next = self.designated(&inner, rest, item, items, path, found)?;
                if position == *to {
                    self.members_from(next, &inner, items, path, found, Braces::Outer)?;
                }
            }
            path.pop();
        }
        Ok(to + 1)
    }

    /// `(type){...}`
    pub(super) fn compound_literal(
        &mut self,
        ty: &'a ast::TypeName,
        list: &'a ast::InitializerList,
        span: Span,
    ) -> Result<Lvalue> {
        let mut ty = self.type_name(ty)?;
        if let CType::Array(of, None) = ty.unqualified().clone() {
            let mut found = Vec::new();
            let open = CType::Array(of.clone(), Some(u64::from(u32::MAX)));
            self.list(&open, &list.items, &mut Vec::new(), &mut found)?;
            let last = found.iter().filter_map(|i| match i.path.first() {
                Some(Step::Index(n)) => Some(u64::from(*n) + 1),
                _ => None,
            });
            ty = CType::Array(of, Some(last.max().unwrap_or(0)));
        }
        let storage = self.types().storage(&ty).ok_or_else(|| self.no_values(&ty, span))?;
        if self.scopes.len() == 1 {
            let mut found = Vec::new();
            self.list(&ty, &list.items, &mut Vec::new(), &mut found)?;
            let init = self.static_values(&storage, found)?;
            let name = format!("literal{}", self.program.shared.len());
            self.program.shared.push(Variable::new(name, storage, init, span));
            let id = SharedId(self.program.shared.len() - 1);
            return Ok(Lvalue { place: Place::variable(VarRef::Shared(id), span), ty });
        }
        let id = self.local("%literal", storage.clone(), span);
        self.begins_with_block(id);
        let target = Place::variable(VarRef::Local(id), span);
        let mut found = Vec::new();
        self.list(&ty, &list.items, &mut Vec::new(), &mut found)?;
        self.assign_initials(&target, &storage, found, Before::Anything, span)?;
        Ok(Lvalue { place: target, ty })
    }
}

/// What a variable holds before it is initialised.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Before {
    Zero,
    Anything,
}

/// Whose braces the items of a list stand in.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Braces {
    Own,
    Outer,
}

/// The units of a string that initialises an array, with the 0 at the end if there is room.
fn string_units(
    literal: &ast::StringLiteral,
    of: &CType,
    n: Option<u64>,
    path: &mut Path,
    found: &mut Vec<Initial<'_>>,
) {
    let room = n.unwrap_or(u64::MAX) as usize;
    let units = literal.units.iter().copied().chain([0]).take(room);
    for (i, unit) in units.enumerate() {
        let mut path = path.clone();
        path.push(Step::Index(i as u32));
        found.push(Initial { path, ty: of.clone(), item: Item::Unit(unit) });
    }
}
