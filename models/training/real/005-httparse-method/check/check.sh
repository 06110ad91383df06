set -e
mkdir built
rustc --edition 2018 --cap-lints allow --crate-name httparse --crate-type rlib --cfg 'feature="std"' \
    --out-dir built src/lib.rs
rustc --edition 2018 --extern httparse=built/libhttparse.rlib -o built/check check.rs
built/check
