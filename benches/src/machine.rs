//! What the figures were measured on.

use std::fs;

use crate::measure::pause;
use crate::team::line_transfer;

/// `key`, `value` pairs that stand above every record.
#[must_use]
pub fn describe() -> Vec<(&'static str, String)> {
    let cpuinfo = fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    // Not those that this thread may run on: it is pinned after the first area.
    let cpus = cpuinfo.lines().filter(|line| line.starts_with("processor")).count();
    let model = field(&cpuinfo, "model name").unwrap_or("unknown").to_owned();
    let hypervisor = cpuinfo.contains(" hypervisor");
    vec![
        ("date", today()),
        ("cpu", model),
        ("nproc", cpus.to_string()),
        ("siblings", siblings()),
        ("virtual-machine", if hypervisor { "yes" } else { "no or not told" }.into()),
        ("rustc", rustc()),
        ("line-transfer-ns", format!("{:.0}", line_transfer())),
        ("pause-ns", format!("{:.1}", pause())),
        ("load-at-start", load()),
    ]
}

/// Load average of the last minute.
#[must_use]
pub fn load() -> String {
    let text = fs::read_to_string("/proc/loadavg").unwrap_or_default();
    text.split_whitespace().next().unwrap_or("unknown").to_owned()
}

/// Time that the hypervisor gave to others, and all time, of all processors since boot, in ticks.
#[must_use]
pub fn steal() -> Option<(u64, u64)> {
    let text = fs::read_to_string("/proc/stat").ok()?;
    let ticks: Vec<u64> =
        text.lines().next()?.split_whitespace().skip(1).map_while(|n| n.parse().ok()).collect();
    Some((*ticks.get(7)?, ticks.iter().take(8).sum()))
}

/// Share of all processor time stolen since `before`, in percent.
#[must_use]
pub fn stolen_since(before: Option<(u64, u64)>) -> String {
    match (before, steal()) {
        (Some((stolen, all)), Some((stolen_now, all_now))) if all_now > all => {
            format!("{:.2} %", (stolen_now - stolen) as f64 * 100.0 / (all_now - all) as f64)
        }
        _ => "unknown".into(),
    }
}

/// Whether processors 0 and 1, on which pairs of threads run, are two cores.
#[must_use]
pub fn siblings() -> String {
    let path = "/sys/devices/system/cpu/cpu0/topology/thread_siblings_list";
    let Ok(list) = fs::read_to_string(path) else {
        return "cpu 0 and 1: not told".into();
    };
    let list = list.trim();
    if shares_core_with_1(list) {
        format!("cpu 0 and 1 are hyper-threads of one core (siblings of cpu 0: {list})")
    } else {
        format!("cpu 0 and 1 are two cores (siblings of cpu 0: {list})")
    }
}

/// Whether a list such as `0,2` or `0-1` holds 1.
fn shares_core_with_1(list: &str) -> bool {
    list.split(',').any(|part| {
        let (from, to) = part.split_once('-').unwrap_or((part, part));
        matches!((from.parse::<u32>(), to.parse::<u32>()), (Ok(a), Ok(b)) if a <= 1 && 1 <= b)
    })
}

fn field<'a>(text: &'a str, name: &str) -> Option<&'a str> {
    let line = text.lines().find(|line| line.starts_with(name))?;
    Some(line.split_once(':')?.1.trim())
}

fn rustc() -> String {
    std::process::Command::new("rustc")
        .arg("--version")
        .output()
        .ok()
        .and_then(|output| String::from_utf8(output.stdout).ok())
        .map_or_else(|| "unknown".into(), |text| text.trim().to_owned())
}

/// The date in UTC.
fn today() -> String {
    let now = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH);
    date(now.map_or(0, |since| since.as_secs() / 86_400))
}

/// The date so many days after 1970-01-01, counting years of 365 or 366 days.
fn date(mut days: u64) -> String {
    let leap = |year: u64| {
        let every = |years| year.is_multiple_of(years);
        every(4) && (!every(100) || every(400))
    };
    let mut year = 1970;
    while days >= 365 + u64::from(leap(year)) {
        days -= 365 + u64::from(leap(year));
        year += 1;
    }
    let february = 28 + u64::from(leap(year));
    let mut month = 1;
    for length in [31, february, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31] {
        if days < length {
            break;
        }
        days -= length;
        month += 1;
    }
    format!("{year}-{month:02}-{:02}", days + 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dates() {
        assert_eq!(date(0), "1970-01-01");
        assert_eq!(date(59), "1970-03-01");
        assert_eq!(date(11_016), "2000-02-29");
        assert_eq!(date(20_819), "2027-01-01");
    }

    #[test]
    fn sibling_lists() {
        assert!(shares_core_with_1("0-1"));
        assert!(shares_core_with_1("0,1"));
        assert!(!shares_core_with_1("0"));
        assert!(!shares_core_with_1("0,2"));
    }
}
