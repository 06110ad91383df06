set -e
if grep -rn "ExcessiveComparators\|excessive number" src tests; then
    exit 1
fi
grep -q TooManyComparators src/error.rs
grep -q "too many version comparators" tests/test_version_req.rs
mkdir built
rustc --edition 2018 --cap-lints allow --crate-name semver --crate-type rlib --cfg 'feature="std"' \
    --out-dir built src/lib.rs
rustc --edition 2018 --extern semver=built/libsemver.rlib -o built/check check.rs
built/check
