//! The configuration file: any flag of any subcommand, as TOML. A value of the
//! file takes the place of the flag's default, so the command line beats it.

mod file;
mod show;

pub use file::{ConfigError, ConfigFile, default_path};

use std::ffi::OsString;
use std::io::Write;
use std::path::PathBuf;

use clap::error::ErrorKind;
use clap::parser::ValueSource;
use clap::{Arg, ArgAction, ArgMatches, Args, Command, Subcommand, value_parser};

use file::Setting;

/// The variable that names a configuration file; empty for none.
pub const VARIABLE: &str = "TENGEN_CONFIG";

/// Look at the configuration.
#[derive(Args, Clone, Debug)]
#[command(after_help = "Examples:\n  \
    tengen config path\n  \
    tengen config show                   every flag of every command\n  \
    tengen config show gtp --threads 2   what this command line comes to\n  \
    tengen config show > config.toml     a file to begin with\n\n\
    The file has a table for each command, and in it any of the command's flags without the dashes:\n\n  \
    log-level = \"info\"\n\n  \
    [gtp]\n  threads = 2\n  ponder = true\n\n  \
    [bench.playouts]\n  size = 19\n\n\
    What the command line says counts more than the file. A flag that the file sets is taken back by \
    --flag=false. Another file is named by --config FILE or by the variable TENGEN_CONFIG, none by an empty name.")]
pub struct ConfigArgs {
    #[command(subcommand)]
    action: Action,
}

#[derive(Subcommand, Clone, Debug)]
enum Action {
    /// Prints where the file is looked for
    Path,
    /// Prints the values of flags and where each comes from, as a configuration file
    Show {
        /// A command and its flags [default: all commands without flags]
        #[arg(value_name = "COMMAND", trailing_var_arg = true, allow_hyphen_values = true)]
        line: Vec<OsString>,
    },
}

/// Reads a command line, with the configuration file's values where it has
/// none. As `clap` does, it prints help and usage errors and ends the process.
///
/// # Errors
/// The file cannot be read, or says what no command understands.
pub fn parse(command: &Command, line: &[OsString]) -> Result<ArgMatches, ConfigError> {
    let file = ConfigFile::choose(chosen(command, line))?;
    let settings = file.map_or_else(|| Ok(Vec::new()), |file| file.settings(command))?;
    match matches(command, &settings, line) {
        Ok(matches) => Ok(matches),
        // Help shows flags as they are written, not as files may set them.
        Err(error) if error.kind() == ErrorKind::DisplayHelp => Ok(command.clone().get_matches_from(line)),
        Err(error) => error.exit(),
    }
}

/// Carries out `tengen config`.
///
/// # Errors
/// The configuration file cannot be used, or nothing can be written.
pub fn run(
    args: &ConfigArgs,
    command: &Command,
    named: Option<PathBuf>,
    out: &mut dyn Write,
) -> anyhow::Result<()> {
    let chosen = named.or_else(variable);
    match &args.action {
        Action::Path => {
            let path = ConfigFile::path(chosen);
            let path = path.ok_or_else(|| anyhow::anyhow!("no folder for configuration is known"))?;
            let note = if path.exists() { "" } else { " (not there)" };
            writeln!(out, "{}{note}", path.display())?;
        }
        Action::Show { line } => {
            let file = ConfigFile::choose(chosen)?;
            let settings = file.as_ref().map_or_else(|| Ok(Vec::new()), |file| file.settings(command))?;
            show::show(command, file.as_ref(), &settings, line, out)?;
        }
    }
    Ok(())
}

/// The file that the command line or the environment names.
fn chosen(command: &Command, line: &[OsString]) -> Option<PathBuf> {
    let lenient = command.clone().ignore_errors(true);
    let named = lenient.try_get_matches_from(line).ok()?.get_one::<PathBuf>("config").cloned();
    named.or_else(variable)
}

/// The file that the environment names.
fn variable() -> Option<PathBuf> {
    std::env::var_os(VARIABLE).map(PathBuf::from)
}

/// Reads a command line with `settings` as defaults, but for those that
/// conflict with what it says itself.
fn matches(command: &Command, settings: &[Setting], line: &[OsString]) -> Result<ArgMatches, clap::Error> {
    let first = with_settings(command.clone(), settings).try_get_matches_from(line)?;
    let (mut sub, mut here, mut path) = (command, &first, Vec::new());
    while let Some((name, next)) = here.subcommand() {
        let Some(found) = sub.find_subcommand(name) else { break };
        (sub, here) = (found, next);
        path.push(name.to_owned());
    }
    let is_typed = |id: &str| here.value_source(id) == Some(ValueSource::CommandLine);
    let typed: Vec<&Arg> = sub.get_arguments().filter(|arg| is_typed(arg.get_id().as_str())).collect();
    let excluded = |setting: &Setting| {
        setting.path == path
            && sub.get_arguments().any(|arg| {
                arg.get_id() == setting.id.as_str() && typed.iter().any(|other| conflict(sub, arg, other))
            })
    };
    if !settings.iter().any(excluded) {
        return Ok(first);
    }
    let rest: Vec<Setting> = settings.iter().filter(|setting| !excluded(setting)).cloned().collect();
    with_settings(command.clone(), &rest).try_get_matches_from(line)
}

/// Whether two flags cannot be given together.
fn conflict(command: &Command, a: &Arg, b: &Arg) -> bool {
    let names = |one: &Arg, other: &Arg| {
        command.get_arg_conflicts_with(one).iter().any(|arg| arg.get_id() == other.get_id())
    };
    names(a, b) || names(b, a)
}

/// The command with `settings` as defaults of its flags.
fn with_settings(command: Command, settings: &[Setting]) -> Command {
    let mut command = switches(command);
    for setting in settings {
        command = at(command, &setting.path, |sub| {
            sub.mut_arg(&setting.id, |arg| arg.required(false).default_values(&setting.values))
        });
    }
    command
}

/// Changes the subcommand at `path`.
fn at(command: Command, path: &[String], change: impl FnOnce(Command) -> Command) -> Command {
    match path {
        [] => change(command),
        [first, rest @ ..] => command.mut_subcommand(first, |sub| at(sub, rest, change)),
    }
}

/// The command with every switch taking `=true` or `=false`, so that files and
/// command lines can overrule each other.
fn switches(command: Command) -> Command {
    let with_values = command.mut_args(|arg| match arg.get_action() {
        ArgAction::SetTrue => arg
            .action(ArgAction::Set)
            .num_args(0..=1)
            .require_equals(true)
            .value_parser(value_parser!(bool))
            .default_value("false")
            .default_missing_value("true"),
        _ => arg,
    });
    with_values.mut_subcommands(switches)
}
