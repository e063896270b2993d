//! The user's text with fences in it, as a program: at all places, at chosen ones, for people to read.

use crate::input::{self, InputError};
use crate::options::{InputFormat, InputOptions};
use fencepost_ir::{cfg, tree};
use fencepost_models::{fp, memorax, trencher};
use fencepost_passes::pipeline;
use fencepost_robust::fences::{Candidates, Fence};
use fencepost_text::fences::{Edited, FenceSyntax, Laid, Site, insert, layout};
use std::path::Path;

/// A text that is one program.
pub struct Source<'a> {
    pub name: String,
    pub text: String,
    pub syntax: Box<dyn FenceSyntax>,
    pub format: InputFormat,
    pub options: &'a InputOptions,
    /// The program as the user wrote it.
    pub program: cfg::Program,
    tree: tree::Program,
}

/// The places of a text where fences make a difference; sites and candidates have the same numbers.
pub struct Places {
    pub sites: Vec<Site>,
    pub candidates: Candidates,
}

impl<'a> Source<'a> {
    pub fn read(path: &Path, options: &'a InputOptions) -> Result<Source<'a>, InputError> {
        let name = path.display().to_string();
        let text = input::read_text(path).map_err(|e| InputError::File(format!("{name}: {e}")))?;
        let format = input::format(path, options, &text)?;
        Source::of(name, text, format, options)
    }

    /// A text that is at hand.
    pub fn of(
        name: String,
        text: String,
        format: InputFormat,
        options: &'a InputOptions,
    ) -> Result<Source<'a>, InputError> {
        let syntax: Box<dyn FenceSyntax> = match format {
            InputFormat::Litmus => Box::new(fencepost_litmus::Fences),
            InputFormat::Fp => Box::new(fp::Fences),
            InputFormat::Memorax => Box::new(memorax::Fences),
            InputFormat::Trencher => Box::new(trencher::Fences),
            InputFormat::C => Box::new(fencepost_c::Fences { options: input::c_options(options) }),
        };
        let tree = input::parse(format, &name, &text, options)?;
        let program = lower(tree.clone(), options);
        Ok(Source { name, text, syntax, format, options, program, tree })
    }

    fn parse(&self, text: &str) -> Result<tree::Program, InputError> {
        input::parse(self.format, &self.name, text, self.options)
    }

    /// The program of a changed text.
    pub fn program_of(&self, text: &str) -> Result<cfg::Program, InputError> {
        Ok(lower(self.parse(text)?, self.options))
    }

    /// The places where a fence may stand and make a difference.
    pub fn places(&self) -> Places {
        let all = self.syntax.sites(&self.name, &self.text);
        let usable = self.usable(all);
        let places = self.places_at(usable);
        // Once more with those only that differ: fewer empty steps, and none between a choice and its test.
        let keep = places.candidates.distinct();
        self.places_at(places.sites.into_iter().zip(keep).filter(|(_, keep)| *keep).map(|(s, _)| s).collect())
    }

    fn places_at(&self, sites: Vec<Site>) -> Places {
        let edited = self.with_everywhere(&sites);
        let tree = self.parse(&edited.text);
        let Ok(tree) = tree else { panic!("internal error: fences at usable places cannot be read") };
        let program = lower(tree, self.options);
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
    fn usable(&self, sites: Vec<Site>) -> Vec<Site> {
        if self.changes_nothing_else(&sites) {
            return sites;
        }
        // Odd macros: look at each site alone, and then at growing lists.
        let mut usable: Vec<Site> = Vec::new();
        for site in sites {
            usable.push(site);
            if !self.changes_nothing_else(&usable) {
                usable.pop();
            }
        }
        usable
    }

    fn changes_nothing_else(&self, sites: &[Site]) -> bool {
        let edited = self.with_everywhere(sites);
        let Ok(mut tree) = self.parse(&edited.text) else { return false };
        // A fence on a transition between states needs a state of its own.
        if self.format == InputFormat::Trencher {
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

fn lower(tree: tree::Program, options: &InputOptions) -> cfg::Program {
    pipeline::run(tree, pipeline::Options { threads: options.threads }, |_, _| {})
}

impl Places {
    /// The procedure that a candidate stands in.
    pub fn function(&self, candidate: usize) -> String {
        let program = self.candidates.program();
        let edge = self.candidates.all()[candidate].edges.first();
        edge.map_or(String::new(), |(p, _)| program.procedure(*p).name.clone())
    }
}
