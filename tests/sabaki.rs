//! The built engine driven by `@sabaki/gtp`, the GTP client that Sabaki itself
//! uses.

use std::io::Write;
use std::path::Path;
use std::process::{Command, Stdio};

/// The version that the test was written for.
const PACKAGE: &str = "@sabaki/gtp@3.0.0";

/// Says what was not tested, and why.
fn skip(reason: &str) {
    let _ = writeln!(std::io::stderr(), "SKIPPED: {reason}, so {PACKAGE} did not drive the engine");
}

/// Whether `program` runs here.
fn runs(program: &str) -> bool {
    Command::new(program)
        .arg("--version")
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status()
        .is_ok_and(|status| status.success())
}

/// Installs the package into `folder`, which must be the test's own.
fn install(folder: &Path) -> bool {
    Command::new("npm")
        .args(["install", "--no-audit", "--no-fund", "--ignore-scripts", "--fetch-retries", "0"])
        .arg("--prefix")
        .arg(folder)
        .arg(PACKAGE)
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status()
        .is_ok_and(|status| status.success())
}

#[test]
fn sabakis_client_drives_the_engine() {
    if !runs("node") || !runs("npm") {
        return skip("there is no node or no npm");
    }
    let folder = tempfile::tempdir().unwrap();
    if !install(folder.path()) {
        return skip("npm could not install it");
    }
    let script = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/sabaki.cjs");
    let output = Command::new("node")
        .args([script, env!("CARGO_BIN_EXE_tengen")])
        .env("NODE_PATH", folder.path().join("node_modules"))
        .output()
        .unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
}
