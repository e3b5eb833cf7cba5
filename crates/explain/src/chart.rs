//! Shares over time as an SVG picture.
//!
//! Invariant: one file without scripts and without anything from elsewhere. Each line has its name and its last value at
//! its end, and a dash of its own: colour is never the only sign.

use crate::markup::Markup;

/// A line of a chart.
#[derive(Clone, Debug, PartialEq)]
pub struct ChartLine {
    /// Its name.
    pub name: String,
    /// A value from 0 to 100 for each label. None where nothing is known: the line has a gap there.
    pub percent: Vec<Option<f64>>,
}

impl ChartLine {
    /// The number of lines in a chart. Our choice: more cannot be told apart.
    pub const MOST: usize = 8;
    /// The number of labels in a chart. Our choice: five years of months.
    pub const MOST_LABELS: usize = 60;
}

const STYLE: &str = include_str!("svg/chart.css");
const LEFT: usize = 56;
const TOP: usize = 52;
const HEIGHT: usize = 320;
/// The room of names, and the distance of two of them.
const RIGHT: usize = 260;
const LINE: usize = 17;
/// The longest name of a line, and the longest label.
const NAME: usize = 24;
const LABEL: usize = 16;
const DASHES: [&str; ChartLine::MOST] = ["", "9 4", "2 4", "12 4 2 4", "6 3", "1 3", "14 6", "4 2 1 2"];

/// Draws the first [`ChartLine::MOST`] lines over the first [`ChartLine::MOST_LABELS`] labels.
///
/// ```
/// use robosieve_explain::{ChartLine, line_chart};
///
/// let line = ChartLine { name: "GPTBot".into(), percent: vec![Some(5.0), None, Some(20.0)] };
/// let picture = line_chart("Closed <sites>", &["2025-01", "2025-06", "2026-01"], &[line]);
/// assert!(picture.starts_with("<svg ") && picture.contains("Closed &lt;sites&gt;") && picture.contains("GPTBot 20.0 %"));
/// ```
#[must_use]
pub fn line_chart(title: &str, labels: &[impl AsRef<str>], lines: &[ChartLine]) -> String {
    let labels = labels.get(..ChartLine::MOST_LABELS).unwrap_or(labels);
    let lines = lines.get(..ChartLine::MOST).unwrap_or(lines);
    let gaps = labels.len().saturating_sub(1).max(1);
    let step = 1_200_usize.checked_div(gaps).unwrap_or_default().clamp(20, 120);
    let right = LEFT.saturating_add(step.saturating_mul(gaps));
    let (width, height) = (right.saturating_add(RIGHT), TOP.saturating_add(HEIGHT).saturating_add(48));
    let title = crate::printable::harmless_short(title, 100);
    let mut out = Markup::default();
    out.raw("<svg xmlns=\"http://www.w3.org/2000/svg\" role=\"img\" width=\"").number(width).raw("\" height=\"");
    out.number(height).raw("\" viewBox=\"0 0 ").number(width).raw(" ").number(height).raw("\">");
    out.element("<title>", &title, "</title>").element("<desc>", &described(labels, lines), "</desc>");
    out.raw("<style>").raw(STYLE).raw("</style><rect class=\"page\" width=\"100%\" height=\"100%\"/>");
    out.element("<text class=\"head\" x=\"12\" y=\"26\">", &title, "</text>\n");
    let top = top_of(lines);
    for quarter in 0..=4_u8 {
        let value = top * f64::from(quarter) / 4.0;
        let at = y(value, top);
        out.raw("<path class=\"grid\" d=\"M").number(LEFT).raw(" ").number(at).raw("H").number(right).raw("\"/>");
        out.raw("<text text-anchor=\"end\" x=\"").number(LEFT.saturating_sub(8)).raw("\" y=\"");
        out.number(at.saturating_add(4)).raw("\">").text(&rounded(value)).raw(" %</text>\n");
    }
    let x = |place: usize| LEFT.saturating_add(place.saturating_mul(step));
    // Labels that would touch are left out.
    let every = 110_usize.div_ceil(step).max(1);
    for (place, label) in labels.iter().enumerate().step_by(every) {
        out.raw("<text text-anchor=\"middle\" x=\"").number(x(place)).raw("\" y=\"");
        out.number(TOP.saturating_add(HEIGHT).saturating_add(24)).raw("\">");
        out.text(&crate::printable::harmless_short(label.as_ref(), LABEL)).raw("</text>\n");
    }
    let mut ends: Vec<(usize, usize, usize)> = Vec::new();
    for (place, line) in lines.iter().enumerate() {
        out.raw("<path class=\"s c").number(place).raw("\" stroke-dasharray=\"");
        out.raw(DASHES.get(place).copied().unwrap_or_default()).raw("\" d=\"");
        let mut is_open = false;
        for (at, value) in line.percent.iter().take(labels.len()).enumerate() {
            let Some(value) = value else {
                is_open = false;
                continue;
            };
            // A value alone is a dot.
            let is_alone = !is_open && line.percent.get(at.saturating_add(1)).copied().flatten().is_none();
            out.raw(if is_open { "L" } else { "M" }).number(x(at)).raw(" ").number(y(*value, top));
            out.raw(if is_alone { "h3" } else { "" });
            is_open = true;
        }
        out.raw("\"/>\n");
        let mut known =
            line.percent.iter().take(labels.len()).enumerate().filter_map(|(at, value)| Some((at, (*value)?)));
        ends.extend(known.next_back().map(|(at, value)| (y(value, top), x(at), place)));
    }
    // Names from above to below, none on another.
    ends.sort_unstable();
    let mut free = TOP;
    for (at, end, place) in ends {
        let Some(line) = lines.get(place) else { continue };
        let name_at = at.max(free);
        free = name_at.saturating_add(LINE);
        out.raw("<path class=\"to\" d=\"M").number(end.saturating_add(4)).raw(" ").number(at).raw("L");
        out.number(right.saturating_add(12)).raw(" ").number(name_at).raw("\"/><path class=\"s c").number(place);
        out.raw("\" stroke-dasharray=\"").raw(DASHES.get(place).copied().unwrap_or_default()).raw("\" d=\"M");
        out.number(right.saturating_add(16)).raw(" ").number(name_at).raw("h24\"/><text class=\"name\" x=\"");
        out.number(right.saturating_add(46)).raw("\" y=\"").number(name_at.saturating_add(4)).raw("\">");
        out.text(&named(line)).raw("</text>\n");
    }
    out.raw("</svg>\n");
    out.into_string()
}

/// The name of a line and its last value.
fn named(line: &ChartLine) -> String {
    let last = line.percent.iter().rev().flatten().next().copied().unwrap_or_default();
    format!("{} {} %", crate::printable::harmless_short(&line.name, NAME), rounded(last))
}

fn described(labels: &[impl AsRef<str>], lines: &[ChartLine]) -> String {
    let (first, last) = (labels.first().map_or("", AsRef::as_ref), labels.last().map_or("", AsRef::as_ref));
    let names: Vec<String> = lines.iter().map(named).collect();
    format!("From {first} to {last}, at last: {}", names.join(", "))
}

fn rounded(value: f64) -> String {
    format!("{value:.1}")
}

/// The value at the top: 5, 10, 20, 50 or 100 percent.
fn top_of(lines: &[ChartLine]) -> f64 {
    let most = lines.iter().flat_map(|line| line.percent.iter().flatten()).copied().fold(0.0, f64::max);
    [5.0, 10.0, 20.0, 50.0].into_iter().find(|top| most <= *top).unwrap_or(100.0)
}

/// The height of a value in the picture.
fn y(value: f64, top: f64) -> usize {
    let share = (value / top).clamp(0.0, 1.0);
    // The height has three digits, and the share is from 0 to 1.
    #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "it is small and not negative")]
    let down = ((1.0 - share) * 320.0).round() as usize;
    TOP.saturating_add(down)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines(count: usize) -> Vec<ChartLine> {
        (0..count).map(|place| ChartLine { name: format!("bot{place}"), percent: vec![Some(1.0); 70] }).collect()
    }

    /// [explain.chart]
    #[test]
    fn a_chart_is_bounded() {
        for (count, shown) in [(7, 7), (8, 8), (9, 8)] {
            assert_eq!(line_chart("t", &["a", "b"], &lines(count)).matches("class=\"name\"").count(), shown);
        }
        let labels: Vec<String> = (0..61).map(|label| format!("label{label:02}")).collect();
        for (count, is_there) in [(59, false), (60, true), (61, true)] {
            let picture = line_chart("t", labels.get(..count).unwrap_or_default(), &lines(1));
            assert_eq!((picture.contains("to label59"), picture.contains("label60")), (is_there, false), "{count}");
        }
    }

    /// [explain.chart]
    #[test]
    fn a_chart_shows_gaps_and_never_runs_its_names() {
        let line = |name: &str, percent: &[Option<f64>]| ChartLine { name: name.into(), percent: percent.to_vec() };
        let hostile = line("<script>\u{202e}&\"", &[Some(f64::NAN), None, Some(1e9), None]);
        let picture = line_chart("\u{1b}[2J<b>", &["<a>", "b", "c", "d"], &[hostile, line("gone", &[])]);
        assert!(!picture.contains("<script") && !picture.contains("<b>") && !picture.contains("<a>"), "{picture}");
        assert!(picture.bytes().all(|byte| matches!(byte, b'\n' | b' '..=b'~')));
        // Two dots, with nothing between them.
        assert_eq!(picture.matches("h3").count(), 2);
        let none: [&str; 0] = [];
        assert!(line_chart("", &none, &[]).ends_with("</svg>\n"));
    }
}
