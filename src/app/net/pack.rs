//! `tengen net pack`: from floating point to eight bits.

use std::fs;
use std::io::Write;
use std::path::PathBuf;

use anyhow::Context;
use clap::Args;

use crate::net::network::Network;
use crate::net::pack::Master;

#[derive(Args, Clone, Debug)]
#[command(after_help = "Example: tengen net pack training/master.safetensors -o my.tengen-net")]
pub(super) struct PackArgs {
    /// The trained network, a safetensors file
    #[arg(value_name = "MASTER")]
    master: PathBuf,
    /// The file to write
    #[arg(short, long, value_name = "FILE")]
    output: PathBuf,
}

pub(super) fn run(args: &PackArgs, out: &mut dyn Write) -> anyhow::Result<()> {
    let bytes = fs::read(&args.master).with_context(|| args.master.display().to_string())?;
    let file = Master::new(&bytes)
        .and_then(|master| master.pack())
        .with_context(|| args.master.display().to_string())?;
    let net = Network::new(&file)?;
    let packed = file.to_bytes();
    fs::write(&args.output, &packed).with_context(|| args.output.display().to_string())?;
    writeln!(
        out,
        "{}: {} channels, {} blocks, {} bytes",
        args.output.display(),
        net.channels(),
        net.blocks(),
        packed.len()
    )?;
    Ok(())
}
