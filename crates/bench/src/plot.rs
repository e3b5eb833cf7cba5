//! The results as a picture.
//!
//! Invariant: plain SVG 1.1 of rectangles and text, in the reader's own font. Bars begin at zero, and all bars of a
//! panel have one scale. (A plotting crate would bring more code than this file's hundred lines.)

use std::fmt::Write as _;

use crate::measure::name;
use crate::results::{Results, Row};
use crate::table::figures;

const WIDTH: f64 = 820.0;
const LABELS: f64 = 290.0;
const BARS: f64 = 440.0;
const STEP: f64 = 26.0;

/// The three kinds of runners, each with its colour.
const OURS: &str = "#1f6f8b";
const PEER: &str = "#b0b7bd";
const FLOOR: &str = "#e3b34c";

struct Bar<'r> {
    label: &'r str,
    value: f64,
}

/// Draws the picture.
#[must_use]
pub fn svg(results: &Results) -> String {
    let reading = bars(&results.reading, &[name::COPY, name::SPLIT, name::COMPILE]);
    let deciding = bars(&results.deciding, &[]);
    let mut body = String::new();
    let mut y = 30.0;
    y = panel(&mut body, y, "Reading robots.txt files: MB/s (longer is faster)", &reading);
    y = panel(&mut body, y + 18.0, "Verdicts: million a second, each tester made before", &deciding);
    format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{WIDTH}\" height=\"{y}\" viewBox=\"0 0 {WIDTH} {y}\" \
         font-family=\"sans-serif\" font-size=\"13\">\n<rect width=\"{WIDTH}\" height=\"{y}\" fill=\"#ffffff\"/>\n{body}</svg>\n"
    )
}

fn bars<'r>(rows: &'r [Row], left_out: &[&str]) -> Vec<Bar<'r>> {
    let rows = rows.iter().filter(|row| !left_out.contains(&row.name) && row.ns.is_finite());
    let mut bars: Vec<Bar<'r>> = rows.map(|row| Bar { label: row.name, value: 1e3 / row.ns }).collect();
    bars.sort_by(|a, b| b.value.total_cmp(&a.value));
    bars
}

/// Draws a panel from `y` on, and returns its end.
fn panel(out: &mut String, y: f64, title: &str, bars: &[Bar<'_>]) -> f64 {
    // Writing to a string does not fail.
    let _ =
        writeln!(out, "<text x=\"14\" y=\"{y}\" font-size=\"15\" font-weight=\"bold\" fill=\"#222222\">{title}</text>");
    let scale = bars.iter().map(|bar| bar.value).fold(0.0, f64::max);
    let mut top = y + 12.0;
    for Bar { label, value } in bars {
        let length = (value / scale * BARS).max(1.0);
        let colour = match *label {
            label if label.starts_with("robosieve") => OURS,
            label if label.starts_with("floor") => FLOOR,
            _ => PEER,
        };
        let (base, end) = (top + 15.0, LABELS + length + 6.0);
        let label = label.replace('&', "&amp;");
        let _ = writeln!(
            out,
            "<text x=\"{}\" y=\"{base}\" text-anchor=\"end\" fill=\"#222222\">{label}</text>\
             <rect x=\"{LABELS}\" y=\"{top}\" width=\"{length:.1}\" height=\"20\" fill=\"{colour}\"/>\
             <text x=\"{end:.1}\" y=\"{base}\" fill=\"#222222\">{}</text>",
            LABELS - 8.0,
            figures(*value)
        );
        top += STEP;
    }
    top + 6.0
}
