//! Printing the configuration, in the form of a file.

use std::ffi::{OsStr, OsString};
use std::io::{self, Write};

use clap::parser::ValueSource;
use clap::{Arg, ArgAction, ArgMatches, Command};

use super::ConfigFile;
use super::file::{Setting, flags};

/// Columns before the source of a value.
const WIDTH: usize = 40;

/// Prints the flags of the command that `line` names, as that line sets them,
/// or of all commands if it is empty.
pub(super) fn show(
    command: &Command,
    file: Option<&ConfigFile>,
    settings: &[Setting],
    line: &[OsString],
    out: &mut dyn Write,
) -> anyhow::Result<()> {
    match file {
        Some(file) => writeln!(out, "# values of the file are from {}", file.path.display())?,
        None => writeln!(out, "# there is no configuration file")?,
    }
    // Nothing is required, as nothing is run.
    let lenient = lenient(command.clone());
    let paths = if line.is_empty() { with_flags(command) } else { vec![line.to_vec()] };
    let mut shown_root = false;
    for path in paths {
        let full: Vec<OsString> = [command.get_name().into()].into_iter().chain(path).collect();
        let matches = match super::matches(&lenient, settings, &full) {
            Ok(matches) => matches,
            Err(error) => error.exit(),
        };
        if !shown_root {
            table(command, &matches, &[], settings, out)?;
            shown_root = true;
        }
        let (mut sub, mut here, mut names) = (command, &matches, Vec::new());
        while let Some((name, next)) = here.subcommand() {
            let Some(found) = sub.find_subcommand(name) else { break };
            (sub, here) = (found, next);
            names.push(name.to_owned());
        }
        if !names.is_empty() {
            table(sub, here, &names, settings, out)?;
        }
    }
    Ok(())
}

fn lenient(command: Command) -> Command {
    let command = command.mut_args(|arg| arg.required(false)).mut_subcommands(lenient);
    command.subcommand_required(false).arg_required_else_help(false)
}

/// The names that lead to each command that has flags of its own.
fn with_flags(command: &Command) -> Vec<Vec<OsString>> {
    let mut found = Vec::new();
    for sub in command.get_subcommands() {
        let name = OsString::from(sub.get_name());
        if flags(sub).next().is_some() {
            found.push(vec![name.clone()]);
        }
        found.extend(with_flags(sub).into_iter().map(|rest| [vec![name.clone()], rest].concat()));
    }
    found
}

/// Prints the flags of one command.
fn table(
    command: &Command,
    matches: &ArgMatches,
    path: &[String],
    settings: &[Setting],
    out: &mut dyn Write,
) -> io::Result<()> {
    let own: Vec<&Arg> = flags(command).collect();
    if own.is_empty() {
        return Ok(());
    }
    if !path.is_empty() {
        writeln!(out, "\n[{}]", path.join("."))?;
    }
    for arg in own {
        let (id, name) = (arg.get_id().as_str(), arg.get_long().unwrap_or_default());
        let is_set = settings.iter().any(|setting| setting.path == path && setting.id == id);
        let source = match matches.value_source(id) {
            Some(ValueSource::CommandLine) => "command line",
            Some(_) if is_set => "file",
            _ => "default",
        };
        let values: Vec<&OsStr> = matches.get_raw(id).into_iter().flatten().collect();
        let entry = match written(arg, &values) {
            Some(value) => format!("{name} = {value}"),
            None => format!("# {name} ="),
        };
        let source = if values.is_empty() { "not set" } else { source };
        writeln!(out, "{entry:<WIDTH$} # {source}")?;
    }
    Ok(())
}

/// The values as TOML; `None` if there are none.
fn written(arg: &Arg, values: &[&OsStr]) -> Option<String> {
    let may_be_bare = arg.get_num_args().is_some_and(|range| range.min_values() == 0);
    match values {
        [] if matches!(arg.get_action(), ArgAction::SetTrue) => Some("false".into()),
        [] => None,
        [one] if may_be_bare && one.is_empty() => Some("true".into()),
        [one] if !matches!(arg.get_action(), ArgAction::Append) => Some(scalar(one)),
        many => Some(format!("[{}]", many.iter().map(|value| scalar(value)).collect::<Vec<_>>().join(", "))),
    }
}

/// A number as it is, anything else in quotes.
fn scalar(value: &OsStr) -> String {
    let text = value.to_string_lossy();
    let is_same = |number: Option<String>| number.is_some_and(|number| number == text);
    let is_integer = is_same(text.parse::<i64>().ok().map(|number| number.to_string()));
    let is_float = text.contains('.') && is_same(text.parse::<f64>().ok().map(|number| number.to_string()));
    if is_integer || is_float || text == "true" || text == "false" {
        text.into_owned()
    } else {
        toml::Value::String(text.into_owned()).to_string()
    }
}
