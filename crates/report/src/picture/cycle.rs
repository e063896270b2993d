//! A happens-before cycle as a drawing: the events of each thread in a column, in the order of its program,
//! and an arrow to each event from the one that happens before it.

use super::svg::{Canvas, cut, escape};
use fencepost_certify::{Cycle, Relation, Replay};

const BOX: (f64, f64) = (190.0, 30.0);
const GAP: f64 = 180.0;
const ROW: f64 = 76.0;
const CHARACTER: f64 = 7.6;

struct Event {
    column: usize,
    row: usize,
    words: String,
}

/// An SVG element; `words` say what each event of the cycle does.
pub fn cycle(replay: &Replay, cycle: &Cycle, words: &[String]) -> String {
    let mut threads: Vec<u32> = cycle.iter().map(|(step, _)| replay.steps[*step].step.thread).collect();
    threads.sort_unstable();
    threads.dedup();
    let mut events: Vec<Event> = Vec::new();
    for (&(step, _), words) in cycle.iter().zip(words) {
        let thread = replay.steps[step].step.thread;
        let earlier = cycle.iter().filter(|(s, _)| replay.steps[*s].step.thread == thread && *s < step);
        events.push(Event {
            column: threads.iter().position(|t| *t == thread).unwrap_or(0),
            row: earlier.count(),
            words: words.clone(),
        });
    }
    let rows = events.iter().map(|e| e.row + 1).max().unwrap_or(0);
    let width = 16.0 + threads.len() as f64 * (BOX.0 + GAP) - GAP + 16.0;
    let height = 44.0 + ROW * rows as f64;
    let corner = |e: &Event| (16.0 + e.column as f64 * (BOX.0 + GAP), 40.0 + e.row as f64 * ROW);
    let mut canvas = Canvas::default();
    for (i, thread) in threads.iter().enumerate() {
        let x = 16.0 + i as f64 * (BOX.0 + GAP);
        canvas.text("name", (x, 24.0), &cut(&replay.threads[*thread as usize], 28));
    }
    for (i, (_, relation)) in cycle.iter().enumerate() {
        let next = (i + 1) % events.len();
        arrow(&mut canvas, corner(&events[i]), corner(&events[next]), *relation);
    }
    for event in &events {
        let (x, y) = corner(event);
        canvas.rect("chip cyclic", (x, y), BOX, 5.0);
        let most = ((BOX.0 - 16.0) / CHARACTER) as usize;
        canvas.text("words", (x + 8.0, y + 19.5), &cut(&event.words, most));
    }
    let label = format!("A happens-before cycle of {} events", events.len());
    format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"drawing cycle\" width=\"{width:.0}\" height=\"{height:.0}\" \
         viewBox=\"0 0 {width:.0} {height:.0}\" role=\"img\" aria-label=\"{}\">\n\
         <rect class=\"ground\" width=\"{width:.0}\" height=\"{height:.0}\"/>\n{}</svg>\n",
        escape(&label),
        canvas.finish()
    )
}

/// From one box to another: down or up within a column, else from side to side.
fn arrow(canvas: &mut Canvas, from: (f64, f64), to: (f64, f64), relation: Relation) {
    let (class, name) = match relation {
        Relation::ProgramOrder => ("wire", "program order"),
        Relation::Conflict => ("wire weak", "conflict"),
    };
    let head = if relation == Relation::ProgramOrder { "head" } else { "head weak" };
    let (start, end) = if from.0 == to.0 {
        let x = from.0 + BOX.0 / 2.0;
        match from.1 < to.1 {
            true => ((x, from.1 + BOX.1), (x, to.1)),
            false => ((x, from.1), (x, to.1 + BOX.1)),
        }
    } else if from.0 < to.0 {
        ((from.0 + BOX.0, from.1 + BOX.1 / 2.0), (to.0, to.1 + BOX.1 / 2.0))
    } else {
        ((from.0, from.1 + BOX.1 / 2.0), (to.0 + BOX.0, to.1 + BOX.1 / 2.0))
    };
    let (dx, dy) = (end.0 - start.0, end.1 - start.1);
    let length = dx.hypot(dy).max(1.0);
    let (ux, uy) = (dx / length, dy / length);
    let (bx, by) = (end.0 - 9.0 * ux, end.1 - 9.0 * uy);
    canvas.line(class, start, (bx, by));
    let d = format!(
        "M{:.1} {:.1}L{:.1} {:.1}L{:.1} {:.1}z",
        end.0,
        end.1,
        bx - 4.5 * uy,
        by + 4.5 * ux,
        bx + 4.5 * uy,
        by - 4.5 * ux
    );
    canvas.path(head, &d);
    // Near the start, where crossing arrows are apart.
    let at = (start.0 + dx * 0.25, start.1 + dy * 0.25);
    match from.0 == to.0 {
        true => canvas.text("caption", (at.0 + 8.0, start.1 + dy / 2.0 + 4.0), name),
        false => canvas.text("caption middle", (at.0, at.1 + 4.0), name),
    }
}
