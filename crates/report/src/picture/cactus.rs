//! A cactus plot: for each engine, how many answers it gave within how many seconds. A line further to the right
//! is an engine with more answers, a lower one is faster.

use super::svg::Canvas;
use crate::summary::Series;
use std::fmt::Write;

const LEFT: f64 = 64.0;
const TOP: f64 = 16.0;
const SIZE: (f64, f64) = (620.0, 340.0);
/// Room for names on the right.
const NAMES: f64 = 150.0;
/// Lines look different up to so many engines.
const LOOKS: usize = 8;
/// Times below are shown as this.
const LEAST: f64 = 0.001;

/// The plot, or nothing where there are no times.
pub fn cactus(series: &Series) -> String {
    let most = series.values().map(Vec::len).max().unwrap_or(0);
    if most == 0 {
        return String::new();
    }
    let longest = series.values().flatten().fold(LEAST, |a, &b| a.max(b));
    let low = LEAST.log10();
    let high = longest.log10().ceil().max(low + 1.0);
    let x = |count: usize| LEFT + SIZE.0 * count as f64 / most as f64;
    let y = |seconds: f64| TOP + SIZE.1 * (high - seconds.max(LEAST).log10()) / (high - low);
    let mut canvas = Canvas::default();
    for exponent in low as i32..=high as i32 {
        let at = y(10f64.powi(exponent));
        canvas.line("hair", (LEFT, at), (LEFT + SIZE.0, at));
        let seconds = 10f64.powi(exponent);
        let text =
            if exponent < 0 { format!("{seconds:.*} s", -exponent as usize) } else { format!("{seconds} s") };
        canvas.text("caption end", (LEFT - 6.0, at + 4.0), &text);
    }
    for count in (0..=most).step_by(step(most)) {
        canvas.line("hair", (x(count), TOP), (x(count), TOP + SIZE.1));
        canvas.text("caption middle", (x(count), TOP + SIZE.1 + 18.0), &count.to_string());
    }
    canvas.text("caption middle", (LEFT + SIZE.0 / 2.0, TOP + SIZE.1 + 38.0), "answers");
    for (i, (name, times)) in series.iter().enumerate() {
        let mut path = String::new();
        for (n, &seconds) in times.iter().enumerate() {
            let _ = write!(path, "{}{:.1} {:.1}", if n == 0 { "M" } else { "L" }, x(n + 1), y(seconds));
        }
        // A single answer is a dot.
        if times.len() == 1 {
            path += "h0.1";
        }
        canvas.open(&format!("class=\"series look{}\"", i % LOOKS));
        canvas.title(&format!("{name}: {} answers", times.len()));
        canvas.path("curve", &path);
        let row = TOP + 14.0 + 22.0 * i as f64;
        canvas.path("curve", &format!("M{:.1} {row:.1}h26", LEFT + SIZE.0 + 16.0));
        canvas.text("caption", (LEFT + SIZE.0 + 48.0, row + 4.0), &format!("{name} ({})", times.len()));
        canvas.close();
    }
    let (width, height) =
        (LEFT + SIZE.0 + NAMES, (TOP + SIZE.1 + 48.0).max(TOP + 30.0 + 22.0 * series.len() as f64));
    format!(
        "<svg class=\"drawing\" xmlns=\"http://www.w3.org/2000/svg\" width=\"{width}\" height=\"{height}\" \
         viewBox=\"0 0 {width} {height}\" role=\"img\" aria-label=\"Answers within a time, for each engine\">\n\
         <rect class=\"ground\" width=\"{width}\" height=\"{height}\"/>\n{}</svg>\n",
        canvas.finish()
    )
}

/// A round number that goes into a count at most ten times.
fn step(most: usize) -> usize {
    let rounds = (0..).flat_map(|power| [1, 2, 5].map(|digit| digit * 10usize.pow(power)));
    rounds.into_iter().find(|step| most <= step * 10).unwrap_or(most)
}
