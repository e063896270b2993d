//! `fencepost litmus`: tests to sets of final states, as herd prints them.
//!
//! Tests are decided side by side and printed in the order of the command line. What is printed on
//! standard output is answers only: messages about tests that cannot be read and the summary go to
//! standard error.

mod compare;
pub mod decide;
mod expect;
pub mod generate;
mod report;
mod show;

use crate::campaign::{Campaign, Question};
use crate::collect::{self, Collected, Unknowns};
use crate::decide::limits;
use crate::files::{self, Found};
use crate::options::{EngineName, Format, LitmusModel, LitmusOptions};
use crate::{Exit, input, internal, interrupt, output, outputs, patience};
use decide::{Answer, Judge, Method, NoAnswer, Prepared};
use expect::Expectations;
use fencepost_litmus::Test;
use fencepost_report::junit::{Case, Ended};
use fencepost_report::litmus::ShownTest;
use fencepost_report::page;
use fencepost_task::{Budget, Reason, Stop};
use serde_json::Value;
use std::collections::BTreeMap;
use std::path::Path;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::mpsc;
use std::sync::{Arc, RwLock, RwLockReadGuard};
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
    results: Vec<Value>,
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
                "Never" => self.never += 1,
                "Always" => self.always += 1,
                _ => self.sometimes += 1,
            },
            Err(NoAnswer::Unknown(_)) => self.unknown += 1,
            Err(NoAnswer::Fault(_)) => self.errors += 1,
        }
    }
}

/// What all tests of a run share.
struct Run<'a> {
    options: &'a LitmusOptions,
    models: Vec<Judge>,
    method: Method,
    expectations: Option<Expectations>,
    /// Tests that run side by side.
    jobs: usize,
    campaign: RwLock<Campaign>,
    cancelled: Arc<AtomicBool>,
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
        Err(message) => return output::refuse(message),
    };
    let method = match options.engine {
        _ if options.oracle.is_some() => Method::Axiomatic,
        EngineName::Auto | EngineName::Explicit => Method::Explicit,
        EngineName::Bmc => Method::Bmc,
        engine @ (EngineName::Dual | EngineName::Lazy | EngineName::Rounds | EngineName::Age) => {
            let name = engine.name();
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
    let models: Vec<Judge> = names.iter().map(|m| m.judge(options.release_sequences)).collect();
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
    let model_names: Vec<&str> = models.iter().map(|m| m.name()).collect();
    let named = |file: &Found| file.as_ref().map_or_else(String::clone, |path| path.display().to_string());
    let whole = options.only.is_empty() && options.filter.is_empty();
    let (campaign, files) = match Campaign::new(&options.campaign, files, named, &model_names, whole) {
        Ok(begun) => begun,
        Err(message) => return output::refuse(message),
    };
    let cores = std::thread::available_parallelism().map_or(1, |n| n.get());
    let jobs = options.jobs.map_or(cores, |n| n as usize).min(files.len()).max(1);
    let run = Run {
        options,
        models,
        campaign: RwLock::new(campaign),
        method,
        expectations,
        jobs,
        cancelled: interrupt::flag(),
    };
    let start = Instant::now();
    let mut shown = Vec::new();
    let unknowns = Unknowns::new(options.allow_unknown);
    let mut collected = Collected::new(options.format, "litmus", options.quiet, unknowns);
    let (count, exit) = run.all(&files, &mut shown, &mut collected);
    if let Some(path) = &options.report {
        let models = report::machines(&run.models);
        let page = page::litmus(&models, &shown, start.elapsed().as_secs_f64(), &run.budget());
        if outputs::write(path, &page).is_err() {
            return Exit::Wrong;
        }
    }
    if !options.quiet && (files.len() > 1 || run.expectations.is_some()) {
        output::complain(run.summary(count, start.elapsed()));
    }
    let exit = if run.cancelled.load(Ordering::Relaxed) { exit.and(Exit::Unknown) } else { exit };
    let exit = if exit == Exit::Unknown && options.allow_unknown { Exit::Good } else { exit };
    collected.print(exit);
    exit
}

impl Run<'_> {
    fn all(&self, files: &[Found], shown: &mut Vec<ShownTest>, collected: &mut Collected) -> (Count, Exit) {
        let next = AtomicUsize::new(0);
        let (sender, results) = mpsc::channel();
        let mut count = Count::default();
        let mut exit = Exit::Good;
        std::thread::scope(|scope| {
            for _ in 0..self.jobs {
                let sender = sender.clone();
                let next = &next;
                scope.spawn(move || {
                    loop {
                        let number = next.fetch_add(1, Ordering::Relaxed);
                        let Some(file) = files.get(number) else { break };
                        if self.cancelled.load(Ordering::Relaxed) || output::has_failed() {
                            break;
                        }
                        let done = internal::guard(|| self.file(file));
                        let done = done.unwrap_or_else(|message| self.broken(file, &message));
                        if sender.send((number, done)).is_err() {
                            break;
                        }
                    }
                });
            }
            drop(sender);
            let mut line = crate::progress::CountLine::new(self.options.quiet, files.len());
            let mut waiting: BTreeMap<usize, Done> = BTreeMap::new();
            let mut printed = 0;
            let mut kept = Exit::Good;
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
            for (number, done) in results {
                for result in &done.results {
                    kept = kept.and(self.campaign.write().expect("nobody panics with it").keep(result));
                }
                waiting.insert(number, done);
                while let Some(done) = waiting.remove(&printed) {
                    printed += 1;
                    line.clear();
                    print(done);
                }
                line.update(printed);
            }
            line.clear();
            // After Ctrl-C some are missing; those behind them are there all the same.
            let left: Vec<usize> = (printed..files.len()).filter(|n| !waiting.contains_key(n)).collect();
            waiting.into_values().for_each(&mut print);
            if self.cancelled.load(Ordering::Relaxed) {
                let name =
                    |n: usize| files[n].as_ref().map_or_else(Clone::clone, |p| p.display().to_string());
                collected.interrupted(left.into_iter().map(name));
            }
            exit = exit.and(kept);
        });
        (count, exit)
    }

    /// Reads and decides one file.
    fn file(&self, file: &Found) -> Done {
        let mut done = Done::default();
        let path = match file {
            Ok(path) => path,
            Err(message) => {
                self.error(&mut done, "", &input::InputError::File(message.clone()));
                return done;
            }
        };
        let name = path.display().to_string();
        // The limits hold from the first byte on.
        let budget = self.budget();
        let (file, models) = (path.clone(), self.models.clone());
        let read = patience::within(&budget, move || {
            let name = file.display().to_string();
            let text =
                input::read_text(&file).map_err(|e| input::InputError::File(format!("{name}: {e}")))?;
            let test =
                fencepost_litmus::read_test(&name, &text).map_err(|(s, d)| input::InputError::Text(s, d))?;
            let prepared = decide::prepare(&test, &models);
            Ok::<_, input::InputError>((test, prepared))
        });
        // Whether a test that cannot be read was asked for is known by its file's name only.
        let by_name = || path.file_stem().is_some_and(|s| self.is_wanted(&s.to_string_lossy()));
        let all = self.options.only.is_empty() && self.options.filter.is_empty();
        match read {
            Ok(Ok((test, prepared))) if self.is_wanted(&test.name) => {
                self.test(&mut done, path, &name, (&test, &prepared), budget);
            }
            Ok(Ok(_)) => {}
            Ok(Err(error)) if all || by_name() => self.error(&mut done, &name, &error),
            Err(stop) if all || by_name() => self.unread(&mut done, &name, stop),
            Ok(Err(_)) | Err(_) => {}
        }
        done
    }

    /// Nothing is known of a test that could not be read within the limits.
    fn unread(&self, done: &mut Done, name: &str, stop: Stop) {
        done.count.tests += 1;
        done.count.unknown += self.models.len();
        done.exit = Some(Exit::Unknown);
        let reason = format!("{} while the test was read", Reason::from(stop));
        done.stderr = format!("{name}: unknown: {reason}");
        for model in &self.models {
            let mut object = serde_json::json!({
                "schema": 1, "file": name, "model": model.name(), "verdict": "unknown", "reason": reason
            });
            self.campaign().stamp(&mut object, None);
            if self.options.format == Format::Json {
                done.stdout += &format!("{object}\n");
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

    /// Whether `--only` and `--filter` let a test pass.
    fn is_wanted(&self, name: &str) -> bool {
        let (only, filter) = (&self.options.only, &self.options.filter);
        (only.is_empty() || only.iter().any(|pattern| matches(pattern, name)))
            && (filter.is_empty() || filter.iter().any(|part| name.contains(part.as_str())))
    }

    fn campaign(&self) -> RwLockReadGuard<'_, Campaign> {
        self.campaign.read().expect("nobody panics with it")
    }

    fn error(&self, done: &mut Done, name: &str, error: &input::InputError) {
        done.count.tests += 1;
        done.count.errors += 1;
        done.exit = Some(Exit::Wrong);
        done.stderr = input::message(error);
        done.cases.push(collect::unreadable(name, error));
        let mut object = crate::check::error_object(name, error);
        self.campaign().stamp(&mut object, None);
        if self.options.format == Format::Json {
            done.stdout = format!("{object}\n");
        }
        done.results.push(object);
    }

    /// The limits of one test under one model, from now on.
    fn budget(&self) -> Budget {
        let budget = limits(self.options.timeout, self.options.memory, &self.cancelled);
        let share = budget.memory().map_or(u64::MAX, |bytes| bytes / self.jobs as u64);
        budget.within(share)
    }

    /// What comes of a file in which an internal error happened.
    fn broken(&self, file: &Found, message: &str) -> Done {
        let name = file.as_ref().map_or_else(Clone::clone, |path| path.display().to_string());
        let mut object = internal::object(&name, None, message);
        self.campaign().stamp(&mut object, None);
        let stdout = match self.options.format {
            Format::Json => format!("{object}\n"),
            Format::Text | Format::Sarif | Format::Junit => String::new(),
        };
        Done {
            stdout,
            stderr: format!("error: {name}: {message}"),
            exit: Some(Exit::Internal),
            count: Count { tests: 1, errors: 1, ..Count::default() },
            shown: None,
            results: vec![object],
            cases: vec![collect::broken(&name, None, message)],
        }
    }

    /// Decides a test; the budget is what is left for its first model.
    fn test(
        &self,
        done: &mut Done,
        path: &Path,
        name: &str,
        (test, prepared): (&Test, &Prepared),
        mut budget: Budget,
    ) {
        done.count.tests += 1;
        internal::rehearse(name);
        let question = |model: Judge| {
            let method = model.method(self.method).name();
            let asked = match model {
                Judge::Machine(_) => method.to_string(),
                Judge::C11(sequences) => format!("{method} {sequences:?}"),
            };
            Question::new(method, &test.program, &asked, self.options.limits())
        };
        let mut answers = Vec::new();
        for &model in &self.models {
            let question = question(model);
            if let Some(known) = self.campaign().known(name, model.name(), &question) {
                self.take_over(done, known);
                continue;
            }
            let start = Instant::now();
            if !answers.is_empty() {
                budget = self.budget();
            }
            let answer = decide::decide(test, prepared, model, self.method, budget.clone());
            let seconds = start.elapsed().as_secs_f64();
            if let Err(NoAnswer::Fault(diagnostic)) = &answer {
                let sources = test.program.sources.clone();
                let error = input::InputError::Text(sources, vec![(**diagnostic).clone()]);
                self.error(done, name, &error);
                // It was counted as a test already.
                done.count.tests -= 1;
                return;
            }
            done.count.answer(&answer);
            if matches!(answer, Err(NoAnswer::Unknown(_))) {
                done.exit = Some(done.exit.unwrap_or(Exit::Good).and(Exit::Unknown));
            }
            answers.push((model, answer, seconds));
        }
        if self.options.report.is_some() {
            done.shown = Some(report::shown(name, test, &prepared.machine, &answers, &budget.part()));
        }
        if !self.options.compare.is_empty() {
            compare::show(done, self.options.format, name, test, &answers);
            return;
        }
        for (model, answer, seconds) in &answers {
            let mut object = show::json(name, test, *model, self.method, answer, *seconds);
            self.campaign().stamp(&mut object, Some(&question(*model)));
            match (self.options.format, &self.expectations) {
                (Format::Json, _) => done.stdout += &format!("{object}\n"),
                (Format::Text, None) => {
                    let model = (self.models.len() > 1).then_some(*model);
                    done.stdout += &show::text(test, model, answer, *seconds);
                }
                (Format::Text, Some(_)) | (Format::Sarif | Format::Junit, _) => {}
            }
            if answer.is_ok() || !self.cancelled.load(Ordering::Relaxed) {
                done.results.push(object);
            }
            let differences = match &self.expectations {
                Some(expectations) => self.expected(done, expectations, path, *model, answer),
                None => String::new(),
            };
            done.cases.push(self.case(name, test, *model, answer, *seconds, differences));
        }
    }

    /// Shows a result that is there already.
    fn take_over(&self, done: &mut Done, known: &Value) {
        let text = |key: &str| known[key].as_str().unwrap_or("");
        match text("observation") {
            "Never" => done.count.never += 1,
            "Always" => done.count.always += 1,
            "Sometimes" => done.count.sometimes += 1,
            _ => {
                done.count.unknown += 1;
                done.exit = Some(done.exit.unwrap_or(Exit::Good).and(Exit::Unknown));
            }
        }
        done.stdout += &match self.options.format {
            Format::Sarif | Format::Junit => unreachable!("these have no --results"),
            Format::Json => format!("{known}\n"),
            Format::Text => {
                let what = known["observation"].as_str().unwrap_or("unknown");
                format!("Test {} {what} under {}, as recorded\n", text("test"), text("model"))
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
        let (Some(expected), Ok(answer)) = (expectations.of(path, model.name()), answer) else {
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
        let models: Vec<&str> = self.models.iter().map(|m| m.name()).collect();
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

/// Whether a name fits a pattern in which `*` stands for any text.
fn matches(pattern: &str, name: &str) -> bool {
    let mut parts = pattern.split('*');
    let first = parts.next().unwrap_or("");
    let Some(mut rest) = name.strip_prefix(first) else { return false };
    let mut parts: Vec<&str> = parts.collect();
    let Some(last) = parts.pop() else { return rest.is_empty() };
    for part in parts {
        match rest.find(part) {
            Some(at) => rest = &rest[at + part.len()..],
            None => return false,
        }
    }
    rest.ends_with(last)
}

#[cfg(test)]
mod tests {
    use super::matches;

    #[test]
    fn patterns() {
        for (pattern, name, expected) in [
            ("SB", "SB", true),
            ("SB", "SB+mfences", false),
            ("SB*", "SB+mfences", true),
            ("*mfences", "SB+mfences", true),
            ("S*m*s", "SB+mfences", true),
            ("*", "", true),
            ("a*a", "a", false),
            ("", "SB", false),
        ] {
            assert_eq!(matches(pattern, name), expected, "{pattern} {name}");
        }
    }
}
