//! Pages and drawings: what is in them, and in a real browser what they show step by step.
//!
//! Where no Chromium is installed the tests of the browser say so and check nothing; `.ci/run` installs it.

use crate::browser::{Browser, installed};
use crate::{fencepost, fencepost_args, json, root, scratch};
use serde_json::Value;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

fn folder(name: &str) -> PathBuf {
    let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join("pages").join(name);
    std::fs::create_dir_all(&path).unwrap();
    path
}

/// A browser, or a word of why there is none.
fn browser(test: &str) -> Option<Browser> {
    installed().map(|name| Browser::start(name, &folder("browsers").join(test)))
}

/// The page of a check, and its JSON line.
fn report(name: &str, args: &str) -> (PathBuf, Value) {
    let path = folder("made").join(format!("{name}.html"));
    let ran = fencepost(&format!("check --format json --report {} {args}", path.display()));
    assert!(ran.code < 2, "{}", ran.stderr);
    (path, json(&ran.stdout))
}

/// Memory and buffers after each step of a trace, played again from what it says.
struct Played {
    memory: Vec<BTreeMap<String, String>>,
    buffers: Vec<BTreeMap<String, Vec<String>>>,
}

fn play(line: &Value, show: impl Fn(&str, &Value) -> String) -> Played {
    let mut memory: BTreeMap<String, String> = BTreeMap::new();
    let mut buffers: BTreeMap<String, Vec<(String, String)>> = BTreeMap::new();
    let mut played = Played { memory: Vec::new(), buffers: Vec::new() };
    for event in line["trace"].as_array().unwrap() {
        let word = |key: &str| event[key].as_str().unwrap_or("").to_string();
        let (thread, cell) = (word("thread"), word("loc"));
        let value = show(&cell, &event["value"]);
        let buffer = buffers.entry(thread).or_default();
        match event["kind"].as_str().unwrap() {
            "store" if line["model"] == "sc" => {
                memory.insert(cell, value);
            }
            "store" => buffer.push((cell, value)),
            "flush" => {
                let oldest = buffer.iter().position(|(c, _)| *c == cell).unwrap();
                let (cell, written) = buffer.remove(oldest);
                assert_eq!(written, value, "{event}");
                memory.insert(cell, written);
            }
            "rmw" => {
                memory.insert(cell, value);
            }
            _ => {}
        }
        played.memory.push(memory.clone());
        let shown = |(t, b): (&String, &Vec<(String, String)>)| {
            (t.clone(), b.iter().map(|(c, v)| format!("{c}={v}")).collect())
        };
        played.buffers.push(buffers.iter().map(shown).collect());
    }
    played
}

/// What the page shows now: the row, buffers and memory by name.
const SHOWN: &str = "(() => { const s = document.querySelector('section.run');
    const table = (name) => Object.fromEntries([...s.querySelectorAll('.' + name + ' tr')].map((r) =>
        [r.querySelector('th').textContent, [...r.querySelector('td').childNodes].map((n) => n.textContent)]));
    return {at: Number(s.dataset.at), text: s.querySelector('.now-text').textContent,
            valuetext: s.querySelector('.slider').getAttribute('aria-valuetext'),
            buffers: table('buffers'), memory: table('memory'),
            later: s.querySelectorAll('.stepped svg.wide .step.later').length,
            here: [...s.querySelectorAll('.source .here .w')].map((w) => w.textContent)}; })()";

/// The steps that rows stand for.
const STEPS: &str =
    "[...document.querySelectorAll('.stepped svg.wide .step')].map((s) => Number(s.dataset.step))";

/// Steps through a page with the keyboard and compares everything with the trace.
fn step_through(browser: &mut Browser, path: &Path, line: &Value, show: impl Fn(&str, &Value) -> String) {
    let played = play(line, show);
    browser.screen(1400, 1000, false);
    browser.load(path);
    let steps: Vec<usize> =
        browser.value(STEPS).as_array().unwrap().iter().map(|s| s.as_u64().unwrap() as usize).collect();
    let total = line["trace"].as_array().unwrap().len();
    browser.press("Home");
    let first = browser.value(SHOWN);
    assert_eq!((&first["at"], first["later"].as_u64()), (&0.into(), Some(steps.len() as u64)));
    for row in 1..=steps.len() {
        browser.press("ArrowRight");
        let shown = browser.value(SHOWN);
        assert_eq!(shown["at"], row, "{shown}");
        assert_eq!(shown["later"].as_u64(), Some((steps.len() - row) as u64), "{shown}");
        assert!(
            shown["text"].as_str().unwrap().starts_with(&format!("{row} of {}: ", steps.len())),
            "{shown}"
        );
        assert!(shown["text"].as_str().unwrap().ends_with(shown["valuetext"].as_str().unwrap()), "{shown}");
        // A row stands for its step and, where it is a store at once, for the flush after it.
        let step = steps[row - 1];
        let flushed = shown["text"].as_str().unwrap().contains("in memory at once");
        let after = (step + usize::from(flushed)).min(total) - 1;
        for (thread, buffer) in shown["buffers"].as_object().unwrap() {
            let entries: Vec<_> =
                buffer.as_array().unwrap().iter().filter(|e| *e != "empty" && *e != "|").collect();
            let expected = played.buffers[after].get(thread).cloned().unwrap_or_default();
            let mut sorted =
                (entries.iter().map(|e| e.as_str().unwrap().to_string()).collect::<Vec<_>>(), expected);
            if line["model"] == "pso" {
                // Between cells there is no order.
                sorted.0.sort();
                sorted.1.sort();
            }
            assert_eq!(sorted.0, sorted.1, "buffer of {thread} after step {step} of {}", path.display());
        }
        for (cell, value) in &played.memory[after] {
            let shown = &shown["memory"][cell][0];
            assert_eq!(shown, value, "{cell} after step {step} of {}", path.display());
        }
    }
    browser.press("ArrowRight");
    assert_eq!(browser.value(SHOWN)["at"], steps.len(), "there is no step behind the last");
    browser.press("ArrowLeft");
    assert_eq!(browser.value(SHOWN)["at"], steps.len() - 1);
    browser.press("End");
    // The slider and a press on a step do the same.
    browser.value("(() => { const s = document.querySelector('.slider'); s.value = '1'; s.dispatchEvent(new Event('input')); })()");
    assert_eq!(browser.value(SHOWN)["at"], 1);
    browser.value(
        "document.querySelector('.stepped svg.wide .step[data-row=\"2\"]').dispatchEvent(new Event('click'))",
    );
    assert_eq!(browser.value(SHOWN)["at"], 3);
    assert_eq!(browser.complaints(), [""; 0], "{}", path.display());
}

fn booleans(cells: &'static [&'static str]) -> impl Fn(&str, &Value) -> String {
    move |cell, value| {
        let truth = cells.iter().any(|c| cell.starts_with(c));
        match (truth, value.as_i64()) {
            (true, Some(n)) => (n != 0).to_string(),
            (_, Some(n)) => n.to_string(),
            _ => String::new(),
        }
    }
}

#[test]
fn runs_are_stepped_through() {
    let Some(mut browser) = browser("steps") else { return };
    for (name, args, cells) in [
        ("peterson", "examples/peterson.fp", &["flag"][..]),
        ("mp", "--model pso examples/mp.fp", &["ready"]),
        ("chaselev", "examples/chaselev.c", &[]),
        ("dekker", "--model pso examples/dekker.c", &[]),
        ("spinlock_broken", "--model sc examples/spinlock_broken.fp", &["taken"]),
    ] {
        let (path, line) = report(name, args);
        step_through(&mut browser, &path, &line, booleans(cells));
    }
}

/// Positions in the drawing that is seen: for each load or store that overtakes, whether its line crosses the bar
/// of the store that it overtakes, between where that begins and ends, and is drawn below it.
const CROSSINGS: &str = "(() => { const svg = [...document.querySelectorAll('.stepped svg.drawing')].find((s) => s.getClientRects().length);
    const box = (e) => e.getBoundingClientRect();
    const bars = [...svg.querySelectorAll('.waiting .bar')];
    return [...svg.querySelectorAll('line.wire.weak')].filter((w) => w.closest('g:not(.waiting)')).map((w) => { const a = box(w);
        const y = (a.top + a.bottom) / 2;
        const under = bars.filter((b) => { const r = box(b); return r.left > a.left && r.right < a.right && r.top < y && r.bottom > y; });
        return {under: under.length, below: under.every((b) => w.compareDocumentPosition(b) & Node.DOCUMENT_POSITION_FOLLOWING)}; }); })()";

/// Whether bars begin at their store and end at their flush, chips do not cover each other, and words fit.
const LAYOUT: &str = "(() => { const svg = [...document.querySelectorAll('.stepped svg.drawing')].find((s) => s.getClientRects().length);
    const box = (e) => e.getBoundingClientRect(), middle = (r) => (r.top + r.bottom) / 2, wrong = [];
    for (const w of svg.querySelectorAll('.waiting')) {
        const bar = box(w.querySelector('.bar'));
        const store = box(svg.querySelector('.step[data-step=\"' + w.dataset.store + '\"] .chip'));
        if (Math.abs(bar.top + bar.width / 2 - middle(store)) > 1.5) wrong.push('a bar does not begin at its store');
        if (bar.left < store.right) wrong.push('a bar covers its store');
    }
    const chips = [...svg.querySelectorAll('.step .chip')].map(box);
    chips.forEach((a, i) => chips.slice(i + 1).forEach((b) => {
        if (a.left < b.right && b.left < a.right && a.top < b.bottom && b.top < a.bottom) wrong.push('chips overlap'); }));
    for (const step of svg.querySelectorAll('.step')) {
        const chip = box(step.querySelector('.chip'));
        for (const t of step.querySelectorAll('.words, .verb')) if (box(t).right > chip.right + 1) wrong.push('words stick out: ' + t.textContent);
    }
    for (const head of svg.querySelectorAll('.head, .wire, .bar, .chip')) if (!head.getClientRects().length) wrong.push('something is not drawn');
    const page = document.documentElement;
    if (page.scrollWidth > page.clientWidth + 1) wrong.push('the page is wider than the screen: ' + page.scrollWidth);
    return wrong; })()";

#[test]
fn the_load_passes_under_the_waiting_store() {
    let Some(mut browser) = browser("crossings") else { return };
    for (name, args) in [
        ("x_peterson", "examples/peterson.fp"),
        ("x_mp", "--model pso examples/mp.fp"),
        ("x_chaselev", "examples/chaselev.c"),
    ] {
        let (path, _) = report(name, args);
        for (screen, width, height, dark) in
            [("wide", 1400, 1000, false), ("narrow", 390, 844, false), ("dark", 1400, 1000, true)]
        {
            browser.screen(width, height, dark);
            browser.load(&path);
            let crossings = browser.value(CROSSINGS);
            let crossings = crossings.as_array().unwrap();
            assert!(
                crossings.iter().any(|c| c["under"].as_u64() >= Some(1)),
                "{name} {screen}: {crossings:?}"
            );
            assert!(crossings.iter().all(|c| c["below"] == true), "{name} {screen}: {crossings:?}");
            assert_eq!(browser.value(LAYOUT), serde_json::json!([]), "{name} {screen}");
            let ground = browser.value("getComputedStyle(document.body).backgroundColor");
            assert_eq!(ground, if dark { "rgb(18, 22, 29)" } else { "rgb(255, 255, 255)" });
            browser.picture(&folder("pictures").join(format!("{name}-{screen}.png")));
            assert_eq!(browser.complaints(), [""; 0], "{name} {screen}");
        }
    }
}

#[test]
fn the_sc_run_is_shown_on_demand() {
    let Some(mut browser) = browser("sc") else { return };
    let (path, _) = report("sc_peterson", "examples/peterson.fp");
    browser.screen(1400, 1000, false);
    browser.load(&path);
    let seen = "document.querySelector('.beside').getClientRects().length > 0";
    assert_eq!(browser.value(seen), false);
    browser.value("document.querySelector('.toggle').click()");
    assert_eq!(browser.value(seen), true);
    assert_eq!(browser.value("document.querySelector('.toggle').getAttribute('aria-expanded')"), "true");
    let parts = browser.value("document.querySelector('.beside svg.wide').textContent");
    assert!(parts.as_str().unwrap().contains("here the runs part"), "{parts}");
    assert_eq!(browser.value(LAYOUT), serde_json::json!([]));
    browser.picture(&folder("pictures").join("sc-beside.png"));
    browser.value("document.querySelector('.toggle').click()");
    assert_eq!(browser.value(seen), false);
    assert_eq!(browser.complaints(), [""; 0]);
}

/// Names for people who do not see the page: everything that can be used or read has one.
const UNNAMED: &str = "[...document.querySelectorAll('button, input, [role=region], svg, section.run')]
    .filter((e) => !(e.getAttribute('aria-label') || e.textContent.trim())).map((e) => e.outerHTML.slice(0, 80))";

#[test]
fn pages_of_all_kinds_load_without_complaint() {
    let Some(mut browser) = browser("kinds") else { return };
    let made = folder("made");
    let path = |name: &str| made.join(name).display().to_string();
    fencepost(&format!(
        "check -q --results {} examples/sb.fp examples/mp.fp examples/lb.fp",
        path("results.jsonl")
    ));
    let merge = format!("merge {} --report", path("results.jsonl"));
    for (command, code, page, words) in [
        (merge.as_str(), 1, "summary.html", "Answers within a time"),
        (
            "check examples/peterson_fenced.fp --report",
            0,
            "safe.html",
            "All states that can be reached were visited",
        ),
        ("check --engine dual examples/peterson_fenced.fp --report", 0, "dual.html", "fencepost certify"),
        (
            "check --timeout 0.2 --engine explicit examples/lazy_fig12.fp --report",
            3,
            "unknown.html",
            "time limit",
        ),
        ("robust examples/peterson.fp --report", 1, "robust.html", "happens before itself"),
        ("robust examples/peterson_fenced.fp --report", 0, "robust_safe.html", "adds no behaviour"),
        ("check examples/cilk_thieves.fp --report", 1, "cilk.html", "What forbids it"),
    ] {
        let ran = fencepost(&format!("{command} {}", path(page)));
        assert_eq!(ran.code, code, "{command}: {}{}", ran.stdout, ran.stderr);
        for (width, dark) in [(1400, false), (390, true)] {
            browser.screen(width, 900, dark);
            browser.load(&made.join(page));
            let text = browser.value("document.body.textContent");
            assert!(text.as_str().unwrap().contains(words), "{page} has no `{words}`");
            assert_eq!(browser.value(UNNAMED), serde_json::json!([]), "{page}");
            let too_wide = "document.documentElement.scrollWidth > document.documentElement.clientWidth + 1";
            assert_eq!(browser.value(too_wide), false, "{page} at {width}");
            assert_eq!(browser.complaints(), [""; 0], "{page}");
            browser.picture(&folder("pictures").join(format!("{page}-{width}.png")));
        }
    }
}

#[test]
fn litmus_tests_are_a_table_with_runs() {
    let made = folder("litmus");
    for (cycle, name) in
        [("PodWR Fre PodWR Fre", "SB"), ("PodWW Rfe PodRR Fre", "MP"), ("PodRW Rfe PodRW Rfe", "LB")]
    {
        let args = [&["litmus", "--generate"][..], &[cycle]].concat();
        let ran = fencepost_args(&args);
        std::fs::write(made.join(format!("{name}.litmus")), ran.stdout).unwrap();
    }
    let path = made.join("table.html");
    let ran =
        fencepost(&format!("litmus --compare sc,tso,pso --report {} {}", path.display(), made.display()));
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    let text = std::fs::read_to_string(&path).unwrap();
    assert!(text.contains("3 litmus tests under SC, TSO, PSO"), "the title");
    // SB parts SC from TSO, MP parts TSO from PSO, LB parts none.
    assert_eq!(text.matches("<section class=\"apart\"").count(), 2);
    assert_eq!(text.matches("and not under SC.").count(), 1);
    assert_eq!(text.matches("and not under TSO.").count(), 1);
    assert_eq!(text.matches("class=\"drawing wide\"").count(), 2);
    let Some(mut browser) = browser("litmus") else { return };
    for (width, dark) in [(1200, false), (390, true)] {
        browser.screen(width, 900, dark);
        browser.load(&path);
        let rows = browser.value("document.querySelectorAll('table.grid tbody tr').length");
        assert_eq!(rows, 3);
        let table = browser.value("document.querySelector('table.grid').textContent");
        assert!(table.as_str().unwrap().contains("Sometimes"), "{table}");
        assert_eq!(browser.value(UNNAMED), serde_json::json!([]));
        assert_eq!(browser.complaints(), [""; 0]);
        browser.picture(&folder("pictures").join(format!("litmus-{width}.png")));
    }
}

/// What a program is called must not become part of the page.
#[test]
fn the_users_strings_stay_strings() {
    let text = "// </script><script>alert(1)</script> <img src=x onerror=alert(2)>\n\
        shared bool x, y; thread t1 { bool r; x = true; r = y; } // <b>&amp;\"'\n\
        thread t2 { bool r; y = true; r = x; }\nfinal not exists (!t1.r && !t2.r); // </pre><svg onload=alert(3)>\n";
    let program = scratch("pages/<b>&'quoted'.fp", text);
    let page = folder("made").join("hostile.html");
    let drawing = folder("made").join("hostile.svg");
    let args = [
        "check",
        program.to_str().unwrap(),
        "--report",
        page.to_str().unwrap(),
        "--svg",
        drawing.to_str().unwrap(),
    ];
    assert_eq!(fencepost_args(&args).code, 1);
    let written = std::fs::read_to_string(&page).unwrap();
    assert_eq!(written.matches("<script").count(), 2, "the data and the script");
    assert!(!written.contains("<img") && !written.contains("<b>"), "nothing of the user's is an element");
    let svg = std::fs::read_to_string(&drawing).unwrap();
    assert!(!svg.contains("<b>") && svg.contains("&lt;b&gt;"), "{svg}");
    let Some(mut browser) = browser("strings") else { return };
    browser.screen(1000, 800, false);
    browser.load(&page);
    let shown = browser.value("document.querySelector('.source').textContent");
    assert!(shown.as_str().unwrap().contains("</script><script>alert(1)</script>"), "{shown}");
    assert_eq!(browser.value("document.images.length"), 0);
    assert_eq!(browser.complaints(), [""; 0]);
    browser.load(&drawing);
    assert_eq!(browser.value("document.documentElement.tagName"), "svg", "the drawing is well-formed");
    assert_eq!(browser.complaints(), [""; 0]);
}

/// Hundreds of steps: the page is not too large, and each step is quick.
#[test]
fn long_runs_stay_usable() {
    let text = "shared int x, y; shared bool done;
        thread t { int i = 0; while (i < 150) { x = i; y = i; i++; } done = true; }
        thread u { bool d = done; assume(d); int a = x; int b = y; assert(a != 149 || b != 149); }";
    let program = scratch("pages/long.fp", text);
    let page = folder("made").join("long.html");
    let args = ["check", program.to_str().unwrap(), "--model", "sc", "--report", page.to_str().unwrap()];
    let ran = fencepost_args(&args);
    assert_eq!(ran.code, 1, "{}{}", ran.stdout, ran.stderr);
    let size = std::fs::metadata(&page).unwrap().len();
    assert!(size < 1 << 20, "{size} bytes");
    let Some(mut browser) = browser("long") else { return };
    browser.screen(1400, 900, false);
    browser.load(&page);
    let rows = browser.value("Number(document.querySelector('.slider').max)").as_u64().unwrap();
    assert!(rows > 300, "{rows}");
    let took = browser.value(
        "(() => { const start = performance.now(); const slider = document.querySelector('.slider');
          for (let i = 0; i < 100; i++) { slider.value = String(i * 3); slider.dispatchEvent(new Event('input')); }
          return (performance.now() - start) / 100; })()",
    );
    assert!(took.as_f64().unwrap() < 250.0, "{took} ms a step");
    // The step that is shown is in sight, and so are the names of the threads.
    let in_sight = "(() => { const box = document.querySelector('.stepped .scroll').getBoundingClientRect();
        const now = document.querySelector('.stepped svg.wide .step.now .chip').getBoundingClientRect();
        const head = document.querySelector('.stepped .heads.wide span').getBoundingClientRect();
        return now.top >= box.top && now.bottom <= box.bottom && Math.abs(head.top - box.top) < 30; })()";
    assert_eq!(browser.value(in_sight), true);
    assert_eq!(browser.complaints(), [""; 0]);
}

#[test]
fn files_are_not_written_over_programs_nor_for_several() {
    let ran = fencepost("check --report out.html examples/sb.fp examples/mp.fp");
    assert_eq!((ran.code, ran.stderr.trim()), (2, "error: --report needs one file and one model"));
    let program = scratch("pages/own.fp", "shared bool x; thread t { assert(x); }");
    let own = program.to_str().unwrap();
    for command in ["check", "robust"] {
        for option in ["--report", "--svg"] {
            let ran = fencepost_args(&[command, own, option, own]);
            assert_eq!(ran.code, 2, "{command} {option}");
            assert!(ran.stderr.contains("would overwrite the program"), "{}", ran.stderr);
        }
    }
    let nowhere = root().join("no-such-folder/x.html");
    let ran = fencepost_args(&["check", own, "--report", nowhere.to_str().unwrap()]);
    assert_eq!(ran.code, 2, "{}", ran.stderr);
}

/// The pictures in the documentation are what the commands make.
#[test]
fn the_pictures_of_the_documentation_are_real() {
    for (name, args) in [("peterson-tso", "examples/peterson.fp"), ("mp-pso", "--model pso examples/mp.fp")] {
        let made = folder("made").join(format!("{name}.svg"));
        assert_eq!(fencepost(&format!("check -q {args} --svg {}", made.display())).code, 1);
        let kept = root().join(format!("docs/{name}.svg"));
        assert!(
            std::fs::read_to_string(&made).unwrap() == std::fs::read_to_string(&kept).unwrap(),
            "after a change: fencepost check {args} --svg docs/{name}.svg, then look at it"
        );
    }
}
