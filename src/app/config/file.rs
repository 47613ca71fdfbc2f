//! Reading the file, and holding it against the flags that there are.

use std::ffi::OsString;
use std::io;
use std::path::PathBuf;

use clap::{Arg, ArgAction, Command};
use toml::{Table, Value};

/// Why a configuration file cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum ConfigError {
    /// It cannot be read.
    #[error("{}: {source}", path.display())]
    Read {
        /// The file.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// It is not TOML.
    #[error("{}: {source}", path.display())]
    Syntax {
        /// The file.
        path: PathBuf,
        /// Where and why.
        source: Box<toml::de::Error>,
    },
    /// No command understands a part of it.
    #[error("{}: {key}: {problem}", path.display())]
    Key {
        /// The file.
        path: PathBuf,
        /// The key with the tables around it.
        key: String,
        /// What is wrong with it.
        problem: String,
    },
}

/// A flag's values, from the file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Setting {
    /// Names of the subcommands around the flag.
    pub(super) path: Vec<String>,
    /// The flag's identifier.
    pub(super) id: String,
    /// Its values, as a command line would have them.
    pub(super) values: Vec<OsString>,
}

/// A configuration file.
#[derive(Clone, Debug)]
pub struct ConfigFile {
    /// Where it is.
    pub path: PathBuf,
    table: Table,
}

/// Where the file is looked for when none is named.
#[must_use]
pub fn default_path() -> Option<PathBuf> {
    directories::ProjectDirs::from("", "", "tengen").map(|dirs| dirs.config_dir().join("config.toml"))
}

impl ConfigFile {
    /// The file that is meant by `chosen`: the platform's own without a name,
    /// none with an empty one.
    #[must_use]
    pub fn path(chosen: Option<PathBuf>) -> Option<PathBuf> {
        match chosen {
            Some(path) => (!path.as_os_str().is_empty()).then_some(path),
            None => default_path(),
        }
    }

    /// Reads the file that is meant by `chosen`. Only the platform's own may
    /// be missing.
    ///
    /// # Errors
    /// It cannot be read, or is not TOML.
    pub fn choose(chosen: Option<PathBuf>) -> Result<Option<Self>, ConfigError> {
        let is_named = chosen.is_some();
        let Some(path) = Self::path(chosen) else { return Ok(None) };
        let text = match std::fs::read_to_string(&path) {
            Ok(text) => text,
            Err(error) if error.kind() == io::ErrorKind::NotFound && !is_named => return Ok(None),
            Err(source) => return Err(ConfigError::Read { path, source }),
        };
        match text.parse() {
            Ok(table) => Ok(Some(ConfigFile { path, table })),
            Err(source) => Err(ConfigError::Syntax { path, source: Box::new(source) }),
        }
    }

    /// Everything that the file sets for `command` and its subcommands.
    pub(super) fn settings(&self, command: &Command) -> Result<Vec<Setting>, ConfigError> {
        let mut settings = Vec::new();
        self.read(command, &self.table, &[], &mut settings)?;
        Ok(settings)
    }

    fn read(
        &self,
        command: &Command,
        table: &Table,
        path: &[String],
        settings: &mut Vec<Setting>,
    ) -> Result<(), ConfigError> {
        for (key, value) in table {
            let fail = |problem: String| {
                let key = path.iter().chain([key]).cloned().collect::<Vec<_>>().join(".");
                ConfigError::Key { path: self.path.clone(), key, problem }
            };
            if let (Value::Table(table), Some(sub)) = (value, command.find_subcommand(key)) {
                let inner: Vec<String> = path.iter().chain([key]).cloned().collect();
                self.read(sub, table, &inner, settings)?;
                continue;
            }
            let arg = flags(command).find(|arg| arg.get_long() == Some(key));
            let arg = arg.ok_or_else(|| fail(unknown(command)))?;
            let values = values(arg, value).map_err(fail)?;
            let id = arg.get_id().as_str().to_owned();
            check(command, &id, &values).map_err(fail)?;
            settings.push(Setting { path: path.to_vec(), id, values });
        }
        Ok(())
    }
}

/// The flags of a command that a file may set.
pub(super) fn flags(command: &Command) -> impl Iterator<Item = &Arg> {
    let is_setting = |arg: &&Arg| {
        let is_action = matches!(arg.get_action(), ArgAction::Help | ArgAction::Version);
        arg.get_long().is_some() && !is_action && arg.get_id() != "config"
    };
    command.get_arguments().filter(is_setting)
}

fn unknown(command: &Command) -> String {
    let names = flags(command).filter_map(Arg::get_long);
    let tables = command.get_subcommands().map(Command::get_name);
    let known: Vec<&str> = names.chain(tables).collect();
    format!("no such flag or command of {}; there are {}", command.get_name(), known.join(", "))
}

/// A value of the file as a command line would have it.
fn values(arg: &Arg, value: &Value) -> Result<Vec<OsString>, String> {
    let is_switch = matches!(arg.get_action(), ArgAction::SetTrue);
    let may_repeat = matches!(arg.get_action(), ArgAction::Append) || arg.get_value_delimiter().is_some();
    let may_be_bare = arg.get_num_args().is_some_and(|range| range.min_values() == 0);
    match value {
        Value::Boolean(true) if may_be_bare && !is_switch => Ok(vec![OsString::new()]),
        Value::Boolean(false) if may_be_bare && !is_switch => Ok(Vec::new()),
        Value::Boolean(value) if is_switch => Ok(vec![value.to_string().into()]),
        Value::Array(items) if may_repeat => items.iter().map(scalar).collect(),
        _ if is_switch => Err("expected true or false".into()),
        Value::Array(_) => Err("expected one value, not a list".into()),
        value => Ok(vec![scalar(value)?]),
    }
}

fn scalar(value: &Value) -> Result<OsString, String> {
    match value {
        Value::String(text) => Ok(text.into()),
        Value::Integer(number) => Ok(number.to_string().into()),
        Value::Float(number) => Ok(number.to_string().into()),
        other => Err(format!("a {} is no value of a flag", other.type_str())),
    }
}

/// Lets the flag's own parser look at the values.
fn check(command: &Command, id: &str, values: &[OsString]) -> Result<(), String> {
    let sub = super::switches(command.clone());
    let sub = sub.mut_args(|arg| arg.required(false)).mut_arg(id, |arg| arg.default_values(values));
    let sub = sub.subcommand_required(false).arg_required_else_help(false).no_binary_name(true);
    match sub.try_get_matches_from(Vec::<OsString>::new()) {
        Ok(_) => Ok(()),
        Err(error) => {
            let text = error.to_string();
            let first = text.lines().next().unwrap_or_default();
            Err(first.trim_start_matches("error: ").to_owned())
        }
    }
}
