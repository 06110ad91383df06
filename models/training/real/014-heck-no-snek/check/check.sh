set -e
if grep -rni snek src; then
    exit 1
fi
mkdir built
rustc --edition 2021 --cap-lints allow --crate-name heck --crate-type rlib --out-dir built src/lib.rs
rustc --edition 2021 --extern heck=built/libheck.rlib -o built/check check.rs
built/check
