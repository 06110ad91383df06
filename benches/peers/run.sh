#!/usr/bin/env bash
# `./x bench peers`: the same model and the same answers, by us and by llama.cpp's own server.
set -euo pipefail
cd "$(dirname "$0")/../.."

folder=target/peers
cargo build --release --locked --example fixed_answers
if ! [ -x "$folder/venv/bin/python" ]; then
    printf '%s\n' "x: building llama.cpp's server in $folder (several minutes)" >&2
    python3 -m venv "$folder/venv"
    "$folder/venv/bin/pip" install -q -r benches/peers/requirements.txt
fi
if ! [ -f "$folder/half-billion.gguf" ]; then
    vocabulary=../shared/vocabs/ggml-vocab-qwen2.gguf
    [ -f "$vocabulary" ] || vocabulary=""
    # shellcheck disable=SC2086
    "$folder/venv/bin/python" benches/peers/half_billion.py \
        "$folder/half-billion.gguf" $vocabulary
fi
"$folder/venv/bin/python" benches/peers/peers.py \
    --ours "${CARGO_TARGET_DIR:-target}/release/examples/fixed_answers" \
    --slotwright "${CARGO_TARGET_DIR:-target}/release/slotwright" \
    --model "the bundled model, 8 million parameters=models/bundled.gguf:30" \
    --model "half a billion random parameters, 152,000 tokens=$folder/half-billion.gguf:6" "$@"
