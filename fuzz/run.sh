#!/usr/bin/env bash
# `./x fuzz SECONDS`: fuzzes each target for so long, two at a time, from the files of the scenarios
# on. What was reached is kept in target/fuzz/corpus; an input that fails, in target/fuzz/found.
set -euo pipefail
cd "$(dirname "$0")/.."

say() { printf '%s\n' "x: $*" >&2; }
die() { say "$@"; exit 1; }

seconds=$1 folder=target/fuzz running=0 has_found=""
case $seconds in "" | *[!0-9]*) die "fuzz takes a number of seconds, not \"$seconds\"" ;; esac
mkdir -p "$folder/seeds"
find tests/scenarios -type f -size -4k | while read -r target; do
    cp "$target" "$folder/seeds/${target//\//_}"
done
# The versions are those of the program, whose build is used.
cp Cargo.lock fuzz/Cargo.lock
RUSTC_WRAPPER="$PWD/fuzz/instrumented.sh" cargo build --release --manifest-path fuzz/Cargo.toml \
    --target-dir "${CARGO_TARGET_DIR:-target}"
targets=$(sed -n 's|^path = "fuzz_targets/\(.*\)\.rs"|\1|p' fuzz/Cargo.toml)
for target in $targets; do
    mkdir -p "$folder/corpus/$target" "$folder/found/$target"
    "${CARGO_TARGET_DIR:-target}/release/$target" -max_total_time="$seconds" -max_len=1500 \
        -timeout=25 -use_value_profile=1 -artifact_prefix="$folder/found/$target/" \
        "$folder/corpus/$target" "$folder/seeds" >"$folder/$target.log" 2>&1 &
    running=$((running + 1))
    [ $((running % 2)) = 1 ] || wait
done
wait
for target in $targets; do
    say "$target: $(sed -n 's/^Done \([0-9]* runs\).*/\1/p' "$folder/$target.log" | tail -n 1)," \
        "$(sed -n 's/.* cov: \([0-9]*\) .*/\1/p' "$folder/$target.log" | tail -n 1) places reached"
    has_found="$has_found$(find "$folder/found/$target" -type f ! -name 'slow-unit-*')"
done
[ -z "$has_found" ] || die "failures, each with its input (their log says why): $has_found"
