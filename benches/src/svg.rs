//! Plots as hand-written SVG: bars for the areas, lines for the scaling model.

use std::fmt::Write as _;

const OURS: &str = "#0b6e4f";
const THEIRS: &str = "#9aa5b1";
const INK: &str = "#1f2933";
const LINES: [&str; 5] = [OURS, "#c05621", "#9aa5b1", "#2b6cb0", "#805ad5"];

/// Bars of one case.
pub struct Group {
    /// What stands above.
    pub title: String,
    /// Name, value, whether it is ours.
    pub bars: Vec<(String, f64, bool)>,
}

fn escape(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}

fn open(width: u32, height: u32, title: &str) -> String {
    format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width} {height}\" \
         font-family=\"sans-serif\" font-size=\"12\" fill=\"{INK}\" role=\"img\">\n\
         <title>{0}</title>\n\
         <rect width=\"{width}\" height=\"{height}\" fill=\"#ffffff\"/>\n\
         <text x=\"12\" y=\"24\" font-size=\"16\" font-weight=\"bold\">{0}</text>\n",
        escape(title)
    )
}

/// A number with two or three significant digits.
#[must_use]
pub fn short(value: f64) -> String {
    match value.abs() {
        size if size >= 100.0 => format!("{value:.0}"),
        size if size >= 10.0 => format!("{value:.1}"),
        _ => format!("{value:.2}"),
    }
}

/// Horizontal bars; each group has a scale of its own, which ends at its longest bar.
#[must_use]
pub fn bars(title: &str, groups: &[Group]) -> String {
    const LEFT: f64 = 170.0;
    const ROOM: f64 = 420.0;
    let rows: usize = groups.iter().map(|group| group.bars.len()).sum();
    let height = 48 + 30 * groups.len() + 18 * rows;
    let mut out = open(680, height as u32, title);
    let mut y = 56;
    for group in groups {
        let longest = group.bars.iter().map(|bar| bar.1).fold(0.0, f64::max);
        writeln!(
            out,
            "<text x=\"12\" y=\"{y}\" font-weight=\"bold\">{}</text>",
            escape(&group.title)
        )
        .expect("a string takes all");
        for (name, value, ours) in &group.bars {
            y += 18;
            let width = (value / longest * ROOM).max(1.0);
            let colour = if *ours { OURS } else { THEIRS };
            writeln!(
                out,
                "<text x=\"{}\" y=\"{y}\" text-anchor=\"end\">{}</text>\
                 <rect x=\"{LEFT}\" y=\"{}\" width=\"{width:.1}\" height=\"13\" fill=\"{colour}\"/>\
                 <text x=\"{:.1}\" y=\"{y}\">{}</text>",
                LEFT - 6.0,
                escape(name),
                y - 11,
                LEFT + width + 5.0,
                short(*value)
            )
            .expect("a string takes all");
        }
        y += 30;
    }
    out.push_str("</svg>\n");
    out
}

/// Lines over producers, both axes logarithmic.
#[must_use]
pub fn lines(title: &str, across: &str, up: &str, series: &[(String, Vec<(f64, f64)>)]) -> String {
    const LEFT: f64 = 64.0;
    const TOP: f64 = 44.0;
    const WIDE: f64 = 430.0;
    const HIGH: f64 = 300.0;
    let points = || series.iter().flat_map(|(_, points)| points);
    let range = |pick: fn(&(f64, f64)) -> f64| {
        let low = points().map(pick).fold(f64::INFINITY, f64::min);
        let high = points().map(pick).fold(0.0, f64::max);
        (low.log2().floor(), high.log2().ceil())
    };
    let ((x0, x1), (y0, y1)) = (range(|point| point.0), range(|point| point.1));
    let x = |value: f64| LEFT + (value.log2() - x0) / (x1 - x0).max(1.0) * WIDE;
    let y = |value: f64| TOP + HIGH - (value.log2() - y0) / (y1 - y0).max(1.0) * HIGH;
    let mut out = open(680, 400, title);
    let mut line = |text: String| {
        out.push_str(&text);
        out.push('\n');
    };
    for power in x0 as i32..=x1 as i32 {
        let (at, value) = (x(2_f64.powi(power)), 2_f64.powi(power));
        line(format!(
            "<line x1=\"{at:.1}\" y1=\"{TOP}\" x2=\"{at:.1}\" y2=\"{}\" stroke=\"#e4e7eb\"/>\
             <text x=\"{at:.1}\" y=\"{}\" text-anchor=\"middle\">{value}</text>",
            TOP + HIGH,
            TOP + HIGH + 16.0
        ));
    }
    for power in y0 as i32..=y1 as i32 {
        let (at, value) = (y(2_f64.powi(power)), 2_f64.powi(power));
        line(format!(
            "<line x1=\"{LEFT}\" y1=\"{at:.1}\" x2=\"{}\" y2=\"{at:.1}\" stroke=\"#e4e7eb\"/>\
             <text x=\"{}\" y=\"{:.1}\" text-anchor=\"end\">{value}</text>",
            LEFT + WIDE,
            LEFT - 6.0,
            at + 4.0
        ));
    }
    let (middle, below, beside) = (LEFT + WIDE / 2.0, TOP + HIGH + 38.0, TOP + HIGH / 2.0);
    let (across, up) = (escape(across), escape(up));
    line(format!(
        "<text x=\"{middle}\" y=\"{below}\" text-anchor=\"middle\">{across}</text>\
         <text x=\"14\" y=\"{beside}\" transform=\"rotate(-90 14 {beside})\" \
         text-anchor=\"middle\">{up}</text>"
    ));
    for (number, (name, points)) in series.iter().enumerate() {
        let colour = LINES[number % LINES.len()];
        let path: Vec<String> =
            points.iter().map(|(a, b)| format!("{:.1},{:.1}", x(*a), y(*b))).collect();
        let level = TOP + 14.0 + 20.0 * number as f64;
        line(format!(
            "<polyline points=\"{}\" fill=\"none\" stroke=\"{colour}\" stroke-width=\"2.5\"/>\
             <rect x=\"510\" y=\"{:.1}\" width=\"14\" height=\"4\" fill=\"{colour}\"/>\
             <text x=\"530\" y=\"{level:.1}\">{}</text>",
            path.join(" "),
            level - 6.0,
            escape(name)
        ));
    }
    out.push_str("</svg>\n");
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bars_end_at_the_longest() {
        let bars_of = vec![("a<b".into(), 5.0, true), ("c".into(), 10.0, false)];
        let svg = bars("x", &[Group { title: "one".into(), bars: bars_of }]);
        assert!(svg.contains("width=\"420.0\"") && svg.contains("width=\"210.0\""));
        assert!(svg.contains("a&lt;b") && svg.ends_with("</svg>\n"));
    }

    #[test]
    fn lines_stay_on_the_plot() {
        let series = vec![("one".into(), vec![(1.0, 10.0), (64.0, 100.0)])];
        let svg = lines("x", "producers", "rate", &series);
        assert!(svg.contains("points=\"64.0,"), "{svg}");
        assert!(svg.contains(">64</text>"));
    }
}
