//! `tengen net show`: what is in a network's file.

use std::fs;
use std::io::Write;
use std::path::PathBuf;

use anyhow::Context;
use clap::Args;

use crate::net::file::File;
use crate::net::network::Network;

#[derive(Args, Clone, Debug)]
#[command(after_help = "Example: tengen net show my.tengen-net")]
pub(super) struct ShowArgs {
    /// The network
    #[arg(value_name = "FILE")]
    file: PathBuf,
}

pub(super) fn run(args: &ShowArgs, out: &mut dyn Write) -> anyhow::Result<()> {
    let bytes = fs::read(&args.file).with_context(|| args.file.display().to_string())?;
    let file = File::from_bytes(&bytes).with_context(|| args.file.display().to_string())?;
    let net = Network::new(&file).with_context(|| args.file.display().to_string())?;
    writeln!(out, "{:<14}{:016x}", "fingerprint", net.fingerprint())?;
    writeln!(out, "{:<14}{}", "channels", net.channels())?;
    writeln!(out, "{:<14}{}", "blocks", net.blocks())?;
    writeln!(out, "{:<14}{}", "bytes", bytes.len())?;
    for line in file.recipe.lines() {
        writeln!(out, "{:<14}{line}", "recipe")?;
    }
    writeln!(out, "\n{:<24}{:<6}shape", "layer", "type")?;
    for table in &file.tables {
        let sides: Vec<String> = table.shape.iter().map(usize::to_string).collect();
        writeln!(out, "{:<24}{:<6}{}", table.name, table.numbers.kind(), sides.join(" x "))?;
    }
    Ok(())
}
