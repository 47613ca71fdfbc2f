//! What a benchmark found: printed as a table with units or as JSON, kept in a
//! file, and compared with an earlier file.

use std::io::{self, Write};
use std::path::{Path, PathBuf};

use anyhow::{Context, ensure};
use clap::Args;
use serde_json::{Map, Value};

/// What to do with the figures.
#[derive(Args, Clone, Debug, Default)]
pub(super) struct OutputArgs {
    /// Print one JSON object
    #[arg(long)]
    json: bool,
    /// Keep the figures in a file, as JSON
    #[arg(long, value_name = "FILE")]
    save: Option<PathBuf>,
    /// Compare the rates with those in a file that --save wrote
    #[arg(long, value_name = "FILE", value_parser = readable)]
    compare: Option<PathBuf>,
    /// With --compare: exit status 1 if a rate is less than this share of the earlier one
    #[arg(long, value_name = "SHARE", requires = "compare", value_parser = share)]
    fail_below: Option<f64>,
}

/// A file that can be opened: found out before anything is measured.
fn readable(text: &str) -> Result<PathBuf, String> {
    std::fs::File::open(text).map(|_| text.into()).map_err(|error| format!("cannot read it: {error}"))
}

fn share(text: &str) -> Result<f64, String> {
    let share = text.parse().ok().filter(|share| (0.0..=10.0).contains(share));
    share.ok_or_else(|| "expected a share, such as 0.9".into())
}

/// What an entry is.
#[derive(Clone, Copy, PartialEq)]
enum Role {
    /// What was asked for; a comparison wants the same.
    Setting,
    /// Something measured.
    Figure,
    /// Work for a unit of time: more is better.
    Rate,
    /// For the JSON only.
    Hidden,
    /// A result that is always the same, unless the program has changed.
    Fixed,
}

struct Entry {
    key: String,
    label: String,
    value: Value,
    /// The value as it is printed.
    text: String,
    unit: &'static str,
    role: Role,
}

/// The figures of one benchmark, in order.
pub(super) struct Sheet {
    bench: &'static str,
    entries: Vec<Entry>,
}

impl OutputArgs {
    /// Whether the figures are only to be printed.
    pub(super) fn is_plain(&self) -> bool {
        !self.json && self.save.is_none() && self.compare.is_none()
    }

    /// Whether nothing but JSON may be printed.
    pub(super) fn is_json(&self) -> bool {
        self.json
    }
}

impl Sheet {
    pub(super) fn new(bench: &'static str) -> Self {
        Sheet { bench, entries: Vec::new() }
    }

    fn add(
        &mut self,
        key: &str,
        label: &str,
        value: Value,
        text: String,
        unit: &'static str,
        role: Role,
    ) -> &mut Self {
        let (key, label) = (key.to_owned(), label.to_owned());
        self.entries.push(Entry { key, label, value, text, unit, role });
        self
    }

    /// What was asked for.
    pub(super) fn setting(&mut self, key: &str, value: impl Into<Value>) -> &mut Self {
        let value = value.into();
        let text = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
        self.add(key, key, value, text, "", Role::Setting)
    }

    /// A number of things.
    pub(super) fn count(&mut self, key: &str, label: &str, value: u64, unit: &'static str) -> &mut Self {
        self.add(key, label, value.into(), value.to_string(), unit, Role::Figure)
    }

    /// A quantity, printed with so many decimals.
    pub(super) fn figure(
        &mut self,
        key: &str,
        label: &str,
        value: f64,
        decimals: usize,
        unit: &'static str,
    ) -> &mut Self {
        self.add(key, label, value.into(), format!("{value:.decimals$}"), unit, Role::Figure)
    }

    /// A share from 0 to 1, printed in percent.
    pub(super) fn share(&mut self, key: &str, label: &str, value: f64) -> &mut Self {
        self.add(key, label, value.into(), format!("{:.2}", 100.0 * value), "%", Role::Figure)
    }

    /// Something for the JSON only.
    pub(super) fn hidden(&mut self, key: &str, value: impl Into<Value>) -> &mut Self {
        self.add(key, key, value.into(), String::new(), "", Role::Hidden)
    }

    /// Words.
    pub(super) fn text(&mut self, key: &str, label: &str, value: &str) -> &mut Self {
        self.add(key, label, value.into(), value.to_owned(), "", Role::Figure)
    }

    /// Work for a second.
    pub(super) fn rate(&mut self, key: &str, label: &str, value: f64) -> &mut Self {
        self.add(key, label, value.into(), format!("{value:.0}"), "1/s", Role::Rate)
    }

    /// A result that only a change of the program changes.
    pub(super) fn fixed(&mut self, key: &str, label: &str, value: impl Into<Value>) -> &mut Self {
        let value = value.into();
        let text = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
        self.add(key, label, value, text, "", Role::Fixed)
    }

    fn to_json(&self) -> Map<String, Value> {
        let mut object = Map::new();
        object.insert("bench".into(), self.bench.into());
        object.insert("version".into(), env!("CARGO_PKG_VERSION").into());
        object.extend(self.entries.iter().map(|entry| (entry.key.clone(), entry.value.clone())));
        object
    }

    /// Prints, keeps and compares the figures. Gives whether the comparison,
    /// if there is one, turned out well.
    pub(super) fn finish(&self, args: &OutputArgs, out: &mut impl Write) -> anyhow::Result<bool> {
        let earlier = args.compare.as_deref().map(|path| self.read(path)).transpose()?;
        let mut json = self.to_json();
        if let Some(path) = &args.save {
            let text = serde_json::to_string_pretty(&json)? + "\n";
            std::fs::write(path, text).with_context(|| format!("cannot write {}", path.display()))?;
        }
        let comparison = earlier.as_ref().map(|earlier| self.compare(earlier));
        if args.json {
            if let Some(comparison) = &comparison {
                let ratios = comparison.iter().map(|line| (line.key.to_owned(), line.ratio.into()));
                json.insert("compared".into(), Value::Object(ratios.collect()));
            }
            serde_json::to_writer(&mut *out, &json)?;
            writeln!(out)?;
        } else {
            self.print(out)?;
            comparison.iter().try_for_each(|lines| print_comparison(lines, out))?;
        }
        let least = args.fail_below.unwrap_or(0.0);
        Ok(comparison.iter().flatten().all(|line| line.ratio >= if line.is_fixed { 1.0 } else { least }))
    }

    fn print(&self, out: &mut impl Write) -> io::Result<()> {
        let settings = self.entries.iter().filter(|entry| entry.role == Role::Setting);
        let settings: Vec<String> = settings.map(|entry| format!("{} {}", entry.key, entry.text)).collect();
        if !settings.is_empty() {
            writeln!(out, "{}: {}", self.bench, settings.join(", "))?;
        }
        for entry in self.entries.iter().filter(|entry| !matches!(entry.role, Role::Setting | Role::Hidden)) {
            let line = format!("{:<34}{:>18} {}", entry.label, entry.text, entry.unit);
            writeln!(out, "{}", line.trim_end())?;
        }
        Ok(())
    }

    /// Reads the figures of an earlier run of the same benchmark. Other
    /// settings are told in the log.
    fn read(&self, path: &Path) -> anyhow::Result<Map<String, Value>> {
        let text =
            std::fs::read_to_string(path).with_context(|| format!("cannot read {}", path.display()))?;
        let earlier: Map<String, Value> = serde_json::from_str(&text)
            .with_context(|| format!("{} was not written by --save", path.display()))?;
        let bench = earlier.get("bench").and_then(Value::as_str).unwrap_or_default();
        ensure!(bench == self.bench, "{} is of the benchmark {bench:?}", path.display());
        for entry in self.entries.iter().filter(|entry| entry.role == Role::Setting) {
            let before = earlier.get(&entry.key).unwrap_or(&Value::Null);
            if *before != entry.value {
                tracing::warn!("{} was {before}, is {} now", entry.key, entry.value);
            }
        }
        Ok(earlier)
    }

    fn compare<'a>(&'a self, earlier: &'a Map<String, Value>) -> Vec<Comparison<'a>> {
        let line = |entry: &'a Entry| {
            let (before, is_fixed) = (earlier.get(&entry.key)?, entry.role == Role::Fixed);
            let ratio = match (before.as_f64(), entry.value.as_f64()) {
                _ if is_fixed => f64::from(u8::from(*before == entry.value)),
                (Some(old), Some(new)) if old > 0.0 => new / old,
                _ => return None,
            };
            Some(Comparison {
                key: &entry.key,
                label: &entry.label,
                before,
                now: &entry.value,
                ratio,
                is_fixed,
            })
        };
        let comparable = self.entries.iter().filter(|entry| matches!(entry.role, Role::Rate | Role::Fixed));
        comparable.filter_map(line).collect()
    }
}

/// A figure now and in an earlier run.
struct Comparison<'a> {
    key: &'a str,
    label: &'a str,
    before: &'a Value,
    now: &'a Value,
    /// Now over before; of a fixed result 1 if it is the same, else 0.
    ratio: f64,
    is_fixed: bool,
}

fn print_comparison(lines: &[Comparison<'_>], out: &mut impl Write) -> io::Result<()> {
    writeln!(out, "\n{:<34}{:>18}{:>18}{:>9}", "compared", "before", "now", "ratio")?;
    for line in lines {
        let text = |value: &Value| match (value.as_str(), value.as_f64()) {
            (Some(text), _) => text.to_owned(),
            (None, Some(number)) if !line.is_fixed => format!("{number:.0}"),
            _ => value.to_string(),
        };
        let ratio = match (line.is_fixed, line.ratio == 1.0) {
            (true, true) => "same".to_owned(),
            (true, false) => "other".to_owned(),
            (false, _) => format!("{:.3}", line.ratio),
        };
        writeln!(out, "{:<34}{:>18}{:>18}{ratio:>9}", line.label, text(line.before), text(line.now))?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sheet(rate: f64, value: &str) -> Sheet {
        let mut sheet = Sheet::new("test");
        sheet.setting("size", 9).count("games", "games", 7, "").rate("games_per_second", "games", rate);
        sheet.fixed("signature", "signature", value);
        sheet
    }

    fn finish(sheet: &Sheet, args: &OutputArgs) -> (String, bool) {
        let mut out = Vec::new();
        let is_good = sheet.finish(args, &mut out).unwrap();
        (String::from_utf8(out).unwrap(), is_good)
    }

    #[test]
    fn runs_are_kept_and_compared() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("run.json");
        let save = OutputArgs { save: Some(file.clone()), ..OutputArgs::default() };
        assert!(finish(&sheet(100.0, "a"), &save).0.contains(&format!("{:<34}{:>18}\n", "games", 7)));
        let compare =
            OutputArgs { compare: Some(file.clone()), fail_below: Some(0.9), ..OutputArgs::default() };
        let (text, is_good) = finish(&sheet(95.0, "a"), &compare);
        assert!(
            is_good && text.contains("100                95    0.950\n") && text.contains("same"),
            "{text}"
        );
        assert!(!finish(&sheet(80.0, "a"), &compare).1, "slower");
        assert!(!finish(&sheet(100.0, "b"), &compare).1, "plays otherwise");
        let json = finish(&sheet(200.0, "a"), &OutputArgs { json: true, ..compare }).0;
        let json: Value = serde_json::from_str(&json).unwrap();
        assert_eq!(json["compared"]["games_per_second"], 2.0);
        let other = Sheet::new("other");
        let args = OutputArgs { compare: Some(file), ..OutputArgs::default() };
        assert!(other.finish(&args, &mut Vec::new()).is_err());
    }
}
