#!/usr/bin/env bash
# rustc for `./x fuzz`: the library, its crates and what the targets call are compiled so that libFuzzer sees where
# they get to. All other crates, llama.cpp among them, stay as the program's build has made them. The
# options are those of cargo-fuzz, without a sanitizer: there is hardly any unsafe code to watch.
set -euo pipefail
rustc=$1
shift
case " $* " in
*" --crate-name slotwright "* | *" --crate-name slotwright_"*)
    set -- "$@" -Cpasses=sancov-module -Cllvm-args=-sanitizer-coverage-level=4 \
        -Cllvm-args=-sanitizer-coverage-inline-8bit-counters \
        -Cllvm-args=-sanitizer-coverage-pc-table \
        -Cllvm-args=-sanitizer-coverage-trace-compares \
        -Cdebug-assertions -Cdebuginfo=line-tables-only --cfg fuzzing
    ;;
esac
exec "$rustc" "$@"
