#!/bin/sh
# Builds a Debian package that runs on every machine of its architecture; needs
# cargo-deb. For newer machines only: RUSTFLAGS="-C target-cpu=x86-64-v3".
set -eu
cd "$(dirname "$0")/.."
RUSTFLAGS=${RUSTFLAGS-}
export RUSTFLAGS
cargo build --locked --release
rm -rf target/package/man target/package/completions
target/release/tengen man target/package/man
mkdir -p target/package/completions
target/release/tengen completions bash > target/package/completions/tengen
target/release/tengen completions zsh > target/package/completions/_tengen
target/release/tengen completions fish > target/package/completions/tengen.fish
cargo deb --no-build
