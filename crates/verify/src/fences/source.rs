//! The user's text with fences in it, as a program: at all places, at chosen ones, for people to read.
//!
//! A text is read many times, and reading cannot be stopped in the middle, so each time it is waited for within the budget.

use crate::options::{Format, ReadOptions};
use crate::patience;
use crate::program::lower;
use crate::read::{self, InputError};
use fencepost_ir::{cfg, tree};
use fencepost_models::{fp, memorax, trencher};
use fencepost_robust::fences::{Candidates, Fence};
use fencepost_task::{Budget, Stop};
use fencepost_text::fences::{Edited, FenceSyntax, Laid, Site, insert, layout};
use std::path::Path;
use std::sync::Arc;

/// A text that is one program.
pub struct Source {
    /// What messages call it.
    pub name: String,
    /// The text.
    pub text: String,
    /// How fences are written in it.
    pub syntax: Box<dyn FenceSyntax>,
    /// How it is read.
    pub format: Format,
    /// How it becomes a program.
    pub options: ReadOptions,
    /// The program as the user wrote it.
    pub program: cfg::Program,
    tree: tree::Program,
}

/// The places of a text where fences make a difference; sites and candidates have the same numbers.
pub struct Places {
    /// Where they are in the text.
    pub sites: Vec<Site>,
    /// Where they are in the graph.
    pub candidates: Candidates,
}

/// What comes of reading within a budget.
type Read<T> = Result<Result<T, InputError>, Stop>;

impl Source {
    /// A text in a file.
    pub fn read(path: &Path, options: &ReadOptions, budget: &Budget) -> Read<Arc<Source>> {
        let (path, options) = (path.to_path_buf(), options.clone());
        patience::within(budget, move || {
            let name = path.display().to_string();
            let text = read::read_text(&path).map_err(|e| InputError::File(format!("{name}: {e}")))?;
            let format = read::format(&path, &options, &text)?;
            Source::new(name, text, format, options)
        })
    }

    /// A text that is at hand.
    pub fn of(
        name: String,
        text: String,
        format: Format,
        options: &ReadOptions,
        budget: &Budget,
    ) -> Read<Arc<Source>> {
        let options = options.clone();
        patience::within(budget, move || Source::new(name, text, format, options))
    }

    /// A text that could not be read within the limits.
    pub fn unread(name: String, options: &ReadOptions) -> Source {
        let format = Format::Fp;
        let (text, program, tree) = (String::new(), cfg::Program::default(), tree::Program::default());
        Source { name, text, syntax: Box::new(fp::Fences), format, options: options.clone(), program, tree }
    }

    fn new(
        name: String,
        text: String,
        format: Format,
        options: ReadOptions,
    ) -> Result<Arc<Source>, InputError> {
        let tree = read::parse(format, &name, &text, &options)?;
        let syntax: Box<dyn FenceSyntax> = match format {
            Format::Litmus => Box::new(fencepost_litmus::Fences),
            Format::Fp => Box::new(fp::Fences),
            Format::Memorax => Box::new(memorax::Fences),
            Format::Trencher => Box::new(trencher::Fences),
            Format::C => {
                let c_options = read::c_options(&[Path::new(&name)], &options)?;
                let words = &options.c.fence;
                let fences = fencepost_c::Fences::of(&tree.sources, (&name, &text), c_options, words);
                Box::new(fences.map_err(InputError::File)?)
            }
        };
        let program = lower(tree.clone(), &options);
        Ok(Arc::new(Source { name, text, syntax, format, options, program, tree }))
    }

    fn parse(&self, text: &str) -> Result<tree::Program, InputError> {
        read::parse(self.format, &self.name, text, &self.options)
    }

    /// The program of a changed text.
    pub fn program_of(self: &Arc<Self>, text: String, budget: &Budget) -> Read<cfg::Program> {
        let source = self.clone();
        patience::within(budget, move || Ok(lower(source.parse(&text)?, &source.options)))
    }

    /// The places where a fence may go and make a difference.
    pub fn places(self: &Arc<Self>, budget: &Budget) -> Result<Places, Stop> {
        let (source, limits) = (self.clone(), budget.clone());
        patience::within(budget, move || source.find_places(&limits))?
    }

    fn find_places(&self, budget: &Budget) -> Result<Places, Stop> {
        let all = self.syntax.sites(&self.name, &self.text);
        let usable = self.usable(all, budget)?;
        budget.look(0)?;
        let places = self.places_at(usable);
        budget.look(0)?;
        // Once more with those only that differ: fewer empty steps, and none between a choice and its test.
        let keep = places.candidates.distinct();
        let kept = places.sites.into_iter().zip(keep).filter(|(_, keep)| *keep).map(|(site, _)| site);
        Ok(self.places_at(kept.collect()))
    }

    fn places_at(&self, sites: Vec<Site>) -> Places {
        let edited = self.with_everywhere(&sites);
        let tree = self.parse(&edited.text);
        let Ok(tree) = tree else { panic!("internal error: fences at usable places cannot be read") };
        let program = lower(tree, &self.options);
        let site_at = edited.site_at();
        let mut candidates = Candidates::new(program, sites.len(), |_, edge| site_at(edge.span));
        candidates.relocate(self.program.sources.clone(), edited.original());
        Places { sites, candidates }
    }

    fn with_everywhere(&self, sites: &[Site]) -> Edited {
        let fences: Vec<_> = sites.iter().map(|s| (s, cfg::FenceKind::Full)).collect();
        insert(&*self.syntax, &self.text, &fences)
    }

    /// The sites where a fence is nothing but a fence: without it the program is as before.
    fn usable(&self, sites: Vec<Site>, budget: &Budget) -> Result<Vec<Site>, Stop> {
        if self.changes_nothing_else(&sites) {
            return Ok(sites);
        }
        // Odd macros: look at each site alone, and then at growing lists.
        let mut usable: Vec<Site> = Vec::new();
        for site in sites {
            budget.look(0)?;
            usable.push(site);
            if !self.changes_nothing_else(&usable) {
                usable.pop();
            }
        }
        Ok(usable)
    }

    fn changes_nothing_else(&self, sites: &[Site]) -> bool {
        let edited = self.with_everywhere(sites);
        let Ok(mut tree) = self.parse(&edited.text) else { return false };
        // A fence on a transition between states needs a state of its own.
        if self.format == Format::Trencher {
            return true;
        }
        let site_at = edited.site_at();
        let keep = |stmt: &tree::Stmt| {
            !matches!(stmt.kind, tree::StmtKind::Fence(_)) || site_at(stmt.span).is_none()
        };
        tree.procedures.iter_mut().for_each(|p| p.body.retain(&keep));
        tree.to_string() == self.tree.to_string()
    }

    /// The text with fences, each within its line.
    pub fn with(&self, places: &Places, fences: &[Fence]) -> Edited {
        insert(&*self.syntax, &self.text, &chosen(places, fences))
    }

    /// The text with fences, for people.
    pub fn laid_out(&self, places: &Places, fences: &[Fence]) -> Laid {
        layout(&*self.syntax, &self.text, &chosen(places, fences))
    }
}

fn chosen<'p>(places: &'p Places, fences: &[Fence]) -> Vec<(&'p Site, cfg::FenceKind)> {
    fences.iter().map(|f| (&places.sites[f.candidate], f.kind)).collect()
}

impl Places {
    /// The procedure that a candidate is in.
    pub fn function(&self, candidate: usize) -> String {
        let program = self.candidates.program();
        let edge = self.candidates.all()[candidate].edges.first();
        edge.map_or(String::new(), |(p, _)| program.procedure(*p).name.clone())
    }
}
