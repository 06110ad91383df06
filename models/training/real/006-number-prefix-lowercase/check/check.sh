set -e
mkdir built
rustc --edition 2015 --cap-lints allow --crate-name number_prefix --crate-type rlib --cfg 'feature="std"' \
    --out-dir built src/lib.rs
rustc --edition 2018 --extern number_prefix=built/libnumber_prefix.rlib -o built/check check.rs
built/check
