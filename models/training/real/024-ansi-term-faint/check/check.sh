set -e
if grep -rn "is_dimmed" src; then
    exit 1
fi
mkdir built
rustc --edition 2015 --cap-lints allow --crate-name ansi_term --crate-type rlib --out-dir built src/lib.rs
rustc --edition 2018 --extern ansi_term=built/libansi_term.rlib -o built/check check.rs
built/check
