//! Options that several subcommands share.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::thread::available_parallelism;
use std::time::Duration;

use anyhow::Context;
use clap::Args;
use clap::builder::{OsStringValueParser, TypedValueParser};

use crate::go::rules::Rules;
use crate::net::network::Network;
use crate::playout::Policy;
use crate::shared::learn::{DEFAULT_MAX_RECORDS, Store, default_path};
use crate::uct::engine::Settings;
use crate::uct::search;

/// How the Go engine thinks.
#[derive(Args, Clone, Debug)]
pub struct EngineArgs {
    /// Threads that search [default: one for each core]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..=1024))]
    pub threads: Option<u64>,
    /// Simulations for a move
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    pub playouts: Option<u64>,
    /// Seconds for a move, until the client sets a clock
    #[arg(long, value_name = "SECONDS", default_value = "2", value_parser = seconds)]
    pub time: Duration,
    /// Seed of the random numbers; one thread with a fixed number of playouts
    /// then always plays the same game
    #[arg(long, value_name = "N", default_value_t = 1)]
    pub seed: u64,
    /// Memory for the search tree, in MiB
    #[arg(long, value_name = "MIB", default_value_t = 512, value_parser = clap::value_parser!(u64).range(2..=1 << 20))]
    pub memory: u64,
    /// Think in the opponent's time
    #[arg(long)]
    pub ponder: bool,
    /// Win rate below which the game is resigned; 0 never resigns
    #[arg(long, value_name = "P", default_value = "0.05", value_parser = resign_rate)]
    pub resign: f64,
    /// Rules: chinese, chinese-kgs, japanese, korean, aga, new_zealand,
    /// tromp-taylor, cgos or ing
    #[arg(long, value_name = "NAME", default_value = "chinese", value_parser = rules)]
    pub rules: Rules,
    /// Playouts: light (uniformly random) or heavy (with local replies)
    #[arg(long, value_name = "POLICY", default_value_t = Policy::Heavy)]
    pub policy: Policy,
    /// Milliseconds that are lost for every move on the way to the client
    #[arg(long, value_name = "MS", default_value_t = 60, value_parser = clap::value_parser!(u64).range(0..=60_000))]
    pub lag_ms: u64,
    /// What the engine calls itself; Lizzie and LizzieYzy show scores and
    /// ownership only for names that begin with KataGo
    #[arg(long, value_name = "NAME", default_value = "Tengen", value_parser = engine_name)]
    pub name: String,
    /// List kgs-chat, so that the engine answers when spoken to; some versions
    /// of kgsGtp fail on it
    #[arg(long)]
    pub kgs_chat: bool,
    /// What is learnt.
    #[command(flatten)]
    pub learning: LearnFlags,
    /// Which network to ask.
    #[command(flatten)]
    pub net: NetChoice,
    /// A search parameter, as tengen-params lists them; may be repeated
    #[arg(long = "param", value_name = "NAME=VALUE", value_parser = parameter)]
    pub params: Vec<(String, String)>,
}

/// Whether and where an engine learns.
#[derive(Args, Clone, Debug)]
pub struct LearnFlags {
    /// Learn from games, in a file [default: in the platform's data folder]
    #[arg(long, value_name = "FILE", num_args = 0..=1, default_missing_value = "", value_parser = any_path())]
    pub learn: Option<PathBuf>,
    /// Positions that the learning file keeps
    #[arg(long, value_name = "N", default_value_t = DEFAULT_MAX_RECORDS, value_parser = clap::value_parser!(u64).range(1..))]
    pub learn_max: u64,
}

/// Which network gives advice.
#[derive(Args, Clone, Debug, Default)]
pub struct NetChoice {
    /// Take advice from the network in a file [default: the one in the program]
    #[arg(long, value_name = "FILE")]
    pub net: Option<PathBuf>,
    /// Play without a network
    #[arg(long, conflicts_with = "net")]
    pub no_net: bool,
}

impl NetChoice {
    /// The network, if there is to be one. A file that holds none is told in
    /// the log, and play goes on without.
    #[must_use]
    pub fn load(&self) -> Option<Arc<Network>> {
        let Some(path) = &self.net else {
            return if self.no_net { None } else { crate::net::embedded() };
        };
        match read_network(path) {
            Ok(net) => Some(Arc::new(net)),
            Err(error) => {
                tracing::error!("{}: {error:#}; playing without a network", path.display());
                None
            }
        }
    }
}

/// The network in a file.
///
/// # Errors
/// The file cannot be read, or holds none.
pub fn read_network(path: &Path) -> anyhow::Result<Network> {
    Ok(Network::from_bytes(&fs::read(path)?)?)
}

/// Where the log goes.
#[derive(Args, Clone, Debug)]
pub struct LogArgs {
    /// Write the log to a file instead of standard error
    #[arg(long, value_name = "FILE", global = true)]
    pub log: Option<PathBuf>,
    /// How much to log: error, warn, info, debug or trace
    #[arg(long, value_name = "LEVEL", global = true, default_value = "warn")]
    pub log_level: tracing::Level,
}

impl EngineArgs {
    /// The settings of an engine.
    ///
    /// # Errors
    /// A search parameter is unknown or cannot have its value.
    pub fn settings(&self) -> anyhow::Result<Settings> {
        let cores = available_parallelism().map_or(1, std::num::NonZero::get);
        let mut search = search::Settings {
            threads: self.threads.map_or(cores, |threads| threads as usize),
            memory_mib: self.memory as usize,
            seed: self.seed,
            policy: self.policy,
            net: self.net.load(),
            ..search::Settings::default()
        };
        for (name, value) in &self.params {
            search.params.set(name, value)?;
        }
        Ok(Settings {
            search,
            playouts: self.playouts,
            time: self.time,
            ponder: self.ponder,
            resign: self.resign,
            lag: Duration::from_millis(self.lag_ms),
            rules: self.rules,
            name: self.name.clone(),
            kgs_chat: self.kgs_chat,
            learn: self.learning.store(),
        })
    }
}

impl LearnFlags {
    /// The learning file, if there is to be one.
    #[must_use]
    pub fn store(&self) -> Option<Store> {
        let named = self.learn.clone()?;
        let path = if named.as_os_str().is_empty() { default_path()? } else { named };
        Some(Store::new(path, self.learn_max))
    }
}

impl LogArgs {
    /// Starts logging, to standard error or a file: standard output is the
    /// protocol's.
    ///
    /// # Errors
    /// The file cannot be made.
    pub fn start(&self) -> anyhow::Result<()> {
        let builder = tracing_subscriber::fmt().with_max_level(self.log_level).with_ansi(false);
        match &self.log {
            Some(file) => {
                let made = fs::File::create(file).with_context(|| file.display().to_string());
                match made {
                    Ok(file) => builder.with_writer(std::sync::Mutex::new(file)).init(),
                    Err(error) => {
                        // The error itself has to be told somewhere.
                        builder.with_writer(std::io::stderr).init();
                        return Err(error);
                    }
                }
            }
            None => builder.with_writer(std::io::stderr).init(),
        }
        Ok(())
    }
}

/// A path that may be empty, where that means a place known otherwise.
fn any_path() -> impl TypedValueParser<Value = PathBuf> {
    OsStringValueParser::new().map(PathBuf::from)
}

/// Reads seconds, of which there may be fractions.
///
/// # Errors
/// The text is no number, or none that makes sense.
pub fn seconds(text: &str) -> Result<Duration, String> {
    match text.parse::<f64>() {
        Ok(seconds) if (0.001..=1e6).contains(&seconds) => Ok(Duration::from_secs_f64(seconds)),
        _ => Err("expected seconds, from 0.001 on".into()),
    }
}

fn resign_rate(text: &str) -> Result<f64, String> {
    match text.parse() {
        Ok(rate) if (0.0..=0.5).contains(&rate) => Ok(rate),
        _ => Err("expected a win rate from 0 to 0.5".into()),
    }
}

/// A name that fits into one line of a reply.
fn engine_name(text: &str) -> Result<String, String> {
    let name = text.trim();
    if name.is_empty() || name.chars().any(char::is_control) {
        return Err("expected a name in one line".into());
    }
    Ok(name.into())
}

pub(super) fn rules(name: &str) -> Result<Rules, String> {
    Rules::by_name(name).ok_or_else(|| {
        let known: Vec<&str> = Rules::NAMED.iter().map(|&(name, _)| name).collect();
        format!("known rules: {}", known.join(", "))
    })
}

/// Reads the setting of a search parameter.
///
/// # Errors
/// There is no `=` in it.
pub fn parameter(text: &str) -> Result<(String, String), String> {
    let (name, value) = text.split_once('=').ok_or("expected NAME=VALUE")?;
    Ok((name.to_owned(), value.to_owned()))
}
