//! `fencepost litmus`: tests to sets of final states, as herd prints them.
//!
//! Tests are decided side by side and printed in the order of the command line. What is printed on
//! standard output is answers only: messages about tests that cannot be read and the summary go to
//! standard error.

pub mod generate;

use crate::collect::{self, Collected, Unknowns};
use crate::meant::limits_text;
use crate::options::{EngineName, Format, LitmusModel, LitmusOptions};
use crate::progress::CountLine;
use crate::{Exit, input, interrupt, output, outputs};
use fencepost_litmus::Test;
use fencepost_report::junit::{Case, Ended};
use fencepost_report::litmus::{Observation, ShownTest};
use fencepost_report::page;
use fencepost_report::results::{self, ErrorResult, LitmusResult, Schema, Untold, Word};
use fencepost_task::{AnyModel, EngineChoice, Model, Reason, Stop, VerdictKind};
use fencepost_verify::campaign::{Campaign, Known, Question};
use fencepost_verify::files::{self, Found};
use fencepost_verify::litmus::compare::{NoComparison, compare};
use fencepost_verify::litmus::{
    Answer, Answered, Batch, Expectations, Judge, Method, NoAnswer, Tested, Told, show,
};
use fencepost_verify::{InputError, Limits, internal};
use std::collections::BTreeMap;
use std::path::Path;
use std::sync::atomic::Ordering;
use std::sync::{RwLock, RwLockReadGuard};
use std::time::{Duration, Instant};

/// What came of one file.
#[derive(Default)]
struct Done {
    /// For standard output and standard error.
    stdout: String,
    stderr: String,
    exit: Option<Exit>,
    count: Count,
    /// For the page, if there is to be one.
    shown: Option<ShownTest>,
    /// New results, to be kept.
    results: Vec<String>,
    /// For a test report.
    cases: Vec<Case>,
}

/// What the summary counts.
#[derive(Clone, Copy, Default)]
struct Count {
    tests: usize,
    never: usize,
    sometimes: usize,
    always: usize,
    unknown: usize,
    errors: usize,
    compared: usize,
    different: usize,
    apart: usize,
}

impl Count {
    fn add(&mut self, other: Count) {
        self.tests += other.tests;
        self.never += other.never;
        self.sometimes += other.sometimes;
        self.always += other.always;
        self.unknown += other.unknown;
        self.errors += other.errors;
        self.compared += other.compared;
        self.different += other.different;
        self.apart += other.apart;
    }

    fn answer(&mut self, answer: &Result<Answer, NoAnswer>) {
        match answer {
            Ok(answer) => match answer.observation() {
                Observation::Never => self.never += 1,
                Observation::Sometimes => self.sometimes += 1,
                Observation::Always => self.always += 1,
            },
            Err(NoAnswer::Unknown(_)) => self.unknown += 1,
            Err(NoAnswer::Fault(_)) => self.errors += 1,
        }
    }
}

/// A run over tests.
struct Run<'a> {
    options: &'a LitmusOptions,
    batch: Batch,
    expectations: Option<Expectations>,
    campaign: RwLock<Campaign>,
}

pub fn run(options: &LitmusOptions) -> Exit {
    if !options.generate.is_empty() || options.generate_all.is_some() {
        if options.format == Format::Junit {
            output::complain("error: made tests are not run; leave out --format junit");
            return Exit::Wrong;
        }
        return generate::run(options);
    }
    let expectations = match options.expect.as_deref().map(Expectations::read).transpose() {
        Ok(expectations) => expectations,
        Err(error) => return output::refuse(error),
    };
    let method = match options.engine {
        _ if options.oracle.is_some() => Method::Axiomatic,
        EngineName::Auto | EngineName::Explicit => Method::Explicit,
        EngineName::Bmc => Method::Bmc,
        engine @ (EngineName::Dual | EngineName::Lazy | EngineName::Rounds | EngineName::Age) => {
            let name = EngineChoice::from(engine).name();
            output::complain(format!(
                "unknown: the engine `{name}` does not list final states; `fencepost check --engine {name}` decides a \
                 test's condition"
            ));
            return if options.allow_unknown { Exit::Good } else { Exit::Unknown };
        }
    };
    let comparing = !options.compare.is_empty();
    if comparing && options.format == Format::Junit {
        output::complain(
            "error: --compare tells models apart, which no test report can say; leave out --format junit",
        );
        return Exit::Wrong;
    }
    if comparing && (options.compare.len() < 2 || expectations.is_some()) {
        output::complain(
            "error: --compare takes two or more models, as in `--compare sc,tso`, and no --expect",
        );
        return Exit::Wrong;
    }
    let alone = comparing || expectations.is_some() || options.report.is_some();
    if options.campaign.results.is_some() && (alone || options.format == Format::Junit) {
        output::complain(
            "error: --compare, --expect, --report and --format junit need a run of their own, without --results",
        );
        return Exit::Wrong;
    }
    let names: &[LitmusModel] = if comparing { &options.compare } else { &options.models };
    let models: Vec<Judge> = names.iter().map(|m| m.meant(options.release_sequences)).collect();
    if options.report.is_some() && names.contains(&LitmusModel::C11) {
        output::complain("error: --report draws runs of machines; leave out c11");
        return Exit::Wrong;
    }
    let files = match (&expectations, options.paths.is_empty()) {
        (None, true) => {
            output::complain("error: no tests: name files, folders or `@list` files");
            return Exit::Wrong;
        }
        // Recorded answers name their tests.
        (Some(expectations), true) => expectations.files.iter().cloned().map(Ok).collect(),
        (_, false) => files::collect(&options.paths, |path| path.extension().is_some_and(|e| e == "litmus")),
    };
    let declared = outputs::Files::default()
        .reads("the test", files.iter().flatten())
        .reads("the list", &options.paths)
        .reads("the recorded answers", &options.expect)
        .writes(&[
            ("--report", options.report.as_deref()),
            ("--results", options.campaign.results.as_deref()),
        ]);
    if let Err(message) = declared {
        return output::refuse(message);
    }
    let model_names: Vec<AnyModel> = models.iter().map(|m| AnyModel::from(*m)).collect();
    let named = |file: &Found| file.as_ref().map_or_else(String::clone, |path| path.display().to_string());
    let whole = options.only.is_empty() && options.filter.is_empty();
    let (campaign, files) = match Campaign::new(&options.campaign.meant(), files, named, &model_names, whole)
    {
        Ok(begun) => begun,
        Err(error) => return output::refuse(error),
    };
    let cores = std::thread::available_parallelism().map_or(1, |n| n.get());
    let jobs = options.jobs.map_or(cores, |n| n as usize).min(files.len()).max(1);
    let batch = Batch {
        models,
        method,
        limits: Limits { seconds: options.timeout, megabytes: options.memory },
        jobs,
        only: options.only.clone(),
        filter: options.filter.clone(),
        draw: options.report.is_some(),
        cancelled: interrupt::flag(),
    };
    let run = Run { options, batch, campaign: RwLock::new(campaign), expectations };
    let start = Instant::now();
    let mut shown = Vec::new();
    let unknowns = Unknowns::new(options.allow_unknown);
    let mut collected = Collected::new(options.format, "litmus", options.quiet, unknowns);
    let (count, exit) = run.all(&files, &mut shown, &mut collected);
    if let Some(path) = &options.report {
        let models: Vec<Model> = run.batch.models.iter().filter_map(|model| model.machine()).collect();
        let page = page::litmus(&models, &shown, start.elapsed().as_secs_f64(), &run.batch.budget());
        if outputs::write(path, &page).is_err() {
            return Exit::Wrong;
        }
    }
    if !options.quiet && (files.len() > 1 || run.expectations.is_some()) {
        output::complain(run.summary(count, start.elapsed()));
    }
    let exit = if run.batch.cancelled.load(Ordering::Relaxed) { exit.and(Exit::Unknown) } else { exit };
    let exit = if exit == Exit::Unknown && options.allow_unknown { Exit::Good } else { exit };
    collected.print(exit);
    exit
}

impl Run<'_> {
    fn all(&self, files: &[Found], shown: &mut Vec<ShownTest>, collected: &mut Collected) -> (Count, Exit) {
        let mut line = CountLine::new(self.options.quiet, files.len());
        let mut waiting: BTreeMap<usize, Done> = BTreeMap::new();
        let (mut count, mut exit, mut kept) = (Count::default(), Exit::Good, Exit::Good);
        let mut printed = 0;
        let mut print = |done: Done| {
            output::text(done.stdout);
            if !done.stderr.is_empty() {
                output::complain(done.stderr.trim_end());
            }
            shown.extend(done.shown);
            collected.extend(done.cases);
            count.add(done.count);
            exit = exit.and(done.exit.unwrap_or(Exit::Good));
        };
        let is_known = |name: &str, test: &Test, model: Judge| {
            let campaign = self.campaign();
            campaign.stamps() && campaign.known(name, model.into(), &self.question(test, model)).is_some()
        };
        self.batch.run(files, &is_known, &output::has_failed, &mut |number, tested| {
            let name =
                files[number].as_ref().map_or_else(|_| String::new(), |path| path.display().to_string());
            let done = internal::guard(|| self.done(&name, tested));
            let done = done.unwrap_or_else(|message| self.broken(&name, &message));
            for result in done.results.clone() {
                let keeping = self.campaign.write().expect("nobody panics with it").keep(result);
                kept = kept.and(keeping.map_or_else(output::refuse, |()| Exit::Good));
            }
            waiting.insert(number, done);
            while let Some(done) = waiting.remove(&printed) {
                printed += 1;
                line.clear();
                print(done);
            }
            line.update(printed);
        });
        line.clear();
        // After Ctrl-C some are missing; those after them are there all the same.
        let left: Vec<usize> = (printed..files.len()).filter(|n| !waiting.contains_key(n)).collect();
        waiting.into_values().for_each(&mut print);
        if self.batch.cancelled.load(Ordering::Relaxed) {
            let name = |n: usize| files[n].as_ref().map_or_else(Clone::clone, |p| p.display().to_string());
            collected.interrupted(left.into_iter().map(name));
        }
        (count, exit.and(kept))
    }

    /// What is printed and counted of a file.
    fn done(&self, name: &str, tested: Tested) -> Done {
        let mut done = Done::default();
        match tested {
            Tested::Left => {}
            Tested::Unreadable(error) => self.error(&mut done, name, &error),
            Tested::Unread(stop) => self.unread(&mut done, name, stop),
            Tested::Broken(message) => return self.broken(name, &message),
            Tested::Answered(answered) => self.answered(&mut done, name, *answered),
        }
        done
    }

    /// What results of a test under a model are of.
    fn question(&self, test: &Test, model: Judge) -> Question {
        let method = model.method(self.batch.method).name();
        let asked = match model {
            Judge::Machine(_) => method.to_string(),
            Judge::C11(sequences) => format!("{method} {sequences:?}"),
        };
        Question::new(method, &test.program, &asked, limits_text(self.batch.limits))
    }

    /// Nothing is known of a test that could not be read within the limits.
    fn unread(&self, done: &mut Done, name: &str, stop: Stop) {
        done.count.tests += 1;
        done.count.unknown += self.batch.models.len();
        done.exit = Some(Exit::Unknown);
        let reason = format!("{} while the test was read", Reason::from(stop));
        done.stderr = format!("{name}: unknown: {reason}");
        for model in &self.batch.models {
            if self.options.format == Format::Json {
                let result = Untold {
                    schema: Schema,
                    file: name.to_string(),
                    model: Word((*model).into()),
                    verdict: Word(VerdictKind::Unknown.into()),
                    reason: reason.clone(),
                    stamp: self.campaign().stamp(None),
                };
                done.stdout += &format!("{}\n", results::line(&result));
            }
            done.cases.push(Case {
                file: name.to_string(),
                name: format!("{name} under {}", model.name().to_uppercase()),
                ended: Unknowns::new(self.options.allow_unknown).ended(reason.clone()),
                output: String::new(),
                seconds: self.options.timeout.unwrap_or(0.0),
            });
        }
    }

    fn campaign(&self) -> RwLockReadGuard<'_, Campaign> {
        self.campaign.read().expect("nobody panics with it")
    }

    fn error(&self, done: &mut Done, name: &str, error: &InputError) {
        done.count.tests += 1;
        done.count.errors += 1;
        done.exit = Some(Exit::Wrong);
        done.stderr = input::message(error);
        done.cases.push(collect::unreadable(name, error));
        let stamp = self.campaign().stamp(None);
        let result = ErrorResult { stamp, ..crate::check::error_result(name, error) };
        if self.options.format == Format::Json {
            done.stdout = format!("{result}\n");
        }
        done.results.push(result.to_string());
    }

    /// What comes of a file in which an internal error happened.
    fn broken(&self, name: &str, message: &str) -> Done {
        let stamp = self.campaign().stamp(None);
        let result = ErrorResult { stamp, ..ErrorResult::internal(name, None, message) };
        let stdout = match self.options.format {
            Format::Json => format!("{result}\n"),
            Format::Text | Format::Sarif | Format::Junit => String::new(),
        };
        Done {
            stdout,
            stderr: format!("error: {name}: {message}"),
            exit: Some(Exit::Internal),
            count: Count { tests: 1, errors: 1, ..Count::default() },
            shown: None,
            results: vec![result.to_string()],
            cases: vec![collect::broken(name, None, message)],
        }
    }

    /// Shows what models say of a test.
    fn answered(&self, done: &mut Done, name: &str, answered: Answered) {
        done.count.tests += 1;
        let Answered { path, test, answers, shown, .. } = answered;
        done.shown = shown;
        let stamps = self.campaign().stamps();
        let question = |model: Judge| stamps.then(|| self.question(&test, model));
        for model in self.batch.models.iter().filter(|m| answers.iter().all(|told| told.model != **m)) {
            let Some(question) = question(*model) else { break };
            if let Some(known) = self.campaign().known(name, (*model).into(), &question) {
                self.take_over(done, known);
            }
        }
        for Told { answer, .. } in &answers {
            if let Err(NoAnswer::Fault(diagnostic)) = answer {
                let sources = test.program.sources.clone();
                self.error(done, name, &InputError::Text(sources, vec![(**diagnostic).clone()]));
                // It was counted as a test already.
                done.count.tests -= 1;
                return;
            }
            done.count.answer(answer);
            if matches!(answer, Err(NoAnswer::Unknown(_))) {
                done.exit = Some(done.exit.unwrap_or(Exit::Good).and(Exit::Unknown));
            }
        }
        if !self.options.compare.is_empty() {
            self.compare(done, name, &test, &answers);
            return;
        }
        for Told { model, answer, seconds } in &answers {
            let stamp = self.campaign().stamp(question(*model).as_ref());
            let result = show::result(name, &test, *model, self.batch.method, answer, *seconds);
            let line = results::line(&LitmusResult { stamp, ..result });
            match (self.options.format, &self.expectations) {
                (Format::Json, _) => done.stdout += &format!("{line}\n"),
                (Format::Text, None) => {
                    let model = (self.batch.models.len() > 1).then_some(*model);
                    done.stdout += &show::text(&test, model, answer, *seconds);
                }
                (Format::Text, Some(_)) | (Format::Sarif | Format::Junit, _) => {}
            }
            if answer.is_ok() || !self.batch.cancelled.load(Ordering::Relaxed) {
                done.results.push(line);
            }
            let differences = match &self.expectations {
                Some(expectations) => self.expected(done, expectations, &path, *model, answer),
                None => String::new(),
            };
            done.cases.push(self.case(name, &test, *model, answer, *seconds, differences));
        }
    }

    /// A line for a test that tells two of the models apart; with JSON an object for every test.
    fn compare(&self, done: &mut Done, name: &str, test: &Test, answers: &[Told]) {
        match compare(answers) {
            Err(NoComparison::Fault) => {}
            Err(NoComparison::Unknown(model, reason)) => {
                done.stderr += &format!("{name}: unknown under {}: {reason}\n", model.name());
            }
            Ok(comparison) => {
                done.count.apart += usize::from(comparison.is_apart());
                match self.options.format {
                    Format::Json => {
                        done.stdout += &format!("{}\n", results::line(&comparison.result(name, test)));
                    }
                    Format::Text | Format::Sarif | Format::Junit if comparison.is_apart() => {
                        done.stdout += &comparison.text(name, test);
                    }
                    Format::Text | Format::Sarif | Format::Junit => {}
                }
            }
        }
    }

    /// Shows a result that is there already.
    fn take_over(&self, done: &mut Done, known: &Known) {
        match known.observation {
            Some(Observation::Never) => done.count.never += 1,
            Some(Observation::Always) => done.count.always += 1,
            Some(Observation::Sometimes) => done.count.sometimes += 1,
            None => {
                done.count.unknown += 1;
                done.exit = Some(done.exit.unwrap_or(Exit::Good).and(Exit::Unknown));
            }
        }
        done.stdout += &match self.options.format {
            Format::Sarif | Format::Junit => unreachable!("these have no --results"),
            Format::Json => format!("{}\n", known.line),
            Format::Text => {
                let what = known.observation.map_or("unknown", Observation::name);
                let test = known.test.as_deref().unwrap_or_default();
                format!("Test {test} {what} under {}, as recorded\n", known.model.name())
            }
        };
    }

    /// Compares with what is recorded.
    fn expected(
        &self,
        done: &mut Done,
        expectations: &Expectations,
        path: &Path,
        model: Judge,
        answer: &Result<Answer, NoAnswer>,
    ) -> String {
        let (Some(expected), Ok(answer)) = (expectations.of(path, model.into()), answer) else {
            return String::new();
        };
        done.count.compared += 1;
        let differences = expected.differences(answer);
        if differences.is_empty() {
            return String::new();
        }
        done.count.different += 1;
        done.exit = Some(done.exit.unwrap_or(Exit::Good).and(Exit::Bad));
        let lines: String =
            differences.iter().map(|d| format!("{} under {}: {d}\n", path.display(), model.name())).collect();
        match self.options.format {
            Format::Text => done.stdout += &lines,
            Format::Json | Format::Sarif | Format::Junit => done.stderr += &lines,
        }
        lines
    }

    /// A test under a model, for a test report: it fails where it differs from what is recorded.
    fn case(
        &self,
        name: &str,
        test: &Test,
        model: Judge,
        answer: &Result<Answer, NoAnswer>,
        seconds: f64,
        differences: String,
    ) -> Case {
        let ended = match answer {
            Err(NoAnswer::Unknown(reason)) => {
                Unknowns::new(self.options.allow_unknown).ended(reason.to_string())
            }
            _ if !differences.is_empty() => {
                Ended::Failed("differs from what is recorded".to_string(), differences)
            }
            _ => Ended::Passed,
        };
        Case {
            file: name.to_string(),
            name: format!("{} under {}", test.name, model.name().to_uppercase()),
            ended,
            output: show::text(test, None, answer, seconds),
            seconds,
        }
    }

    fn summary(&self, count: Count, time: Duration) -> String {
        let seconds = time.as_secs_f64();
        let rate = count.tests as f64 / seconds.max(1e-9);
        let models: Vec<&str> = self.batch.models.iter().map(|m| m.name()).collect();
        let mut text = format!(
            "{} tests under {}: Never {}, Sometimes {}, Always {}",
            count.tests,
            models.join(", "),
            count.never,
            count.sometimes,
            count.always
        );
        for (what, n) in [("unknown", count.unknown), ("errors", count.errors)] {
            if n > 0 {
                text += &format!(", {what} {n}");
            }
        }
        if self.expectations.is_some() {
            text += &format!("; {} compared, {} different", count.compared, count.different);
        }
        if !self.options.compare.is_empty() {
            text += &format!("; {} tell the models apart", count.apart);
        }
        text + &format!("; {seconds:.2} s, {rate:.0} tests/s")
    }
}
