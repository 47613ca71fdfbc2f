//! `tengen completions` and `tengen man`: what shells and readers of manuals
//! need, made from the command line's own definition.

use std::io::Write;
use std::path::PathBuf;

use anyhow::Context;
use clap::{Args, Command};
use clap_complete::Shell;

/// Print completions for a shell.
#[derive(Args, Clone, Debug)]
#[command(after_help = "Examples:\n  \
    tengen completions bash > ~/.local/share/bash-completion/completions/tengen\n  \
    tengen completions zsh > ~/.zfunc/_tengen\n  \
    tengen completions fish > ~/.config/fish/completions/tengen.fish")]
pub struct CompletionsArgs {
    /// The shell.
    #[arg(value_enum)]
    shell: Shell,
}

/// Print the manual page, or write the pages of all commands.
#[derive(Args, Clone, Debug)]
#[command(after_help = "Examples:\n  \
    tengen man | man -l -\n  \
    tengen man ~/.local/share/man/man1      a page for each command, such as tengen-match.1")]
pub struct ManArgs {
    /// Folder for the pages of all commands; made if need be.
    #[arg(value_name = "FOLDER")]
    folder: Option<PathBuf>,
}

/// Prints the completions of `command` for a shell.
///
/// # Errors
/// Nothing can be written.
pub fn completions(args: &CompletionsArgs, mut command: Command, out: &mut dyn Write) -> anyhow::Result<()> {
    let name = command.get_name().to_owned();
    // Made in memory first: the generator panics where a pipe is closed.
    let mut script = Vec::new();
    clap_complete::generate(args.shell, &mut command, name, &mut script);
    Ok(out.write_all(&script)?)
}

/// Prints the manual page of `command`, or writes all pages.
///
/// # Errors
/// Nothing can be written.
pub fn man(args: &ManArgs, command: Command, out: &mut dyn Write) -> anyhow::Result<()> {
    match &args.folder {
        Some(folder) => {
            let refused = || format!("cannot write to {}", folder.display());
            std::fs::create_dir_all(folder).with_context(refused)?;
            clap_mangen::generate_to(command, folder).with_context(refused)?;
        }
        None => clap_mangen::Man::new(command).render(out)?,
    }
    Ok(())
}
