#!/bin/sh
# Runs every test and names those that fail.
cd "$(dirname "$0")/.." || exit 2
failures=0

expect() {
    if [ "$2" = "$3" ]; then
        echo "ok   $1"
    else
        echo "FAIL $1: got '$2', want '$3'"
        failures=$((failures + 1))
    fi
}

names() {
    for day in "$@"; do
        echo "home-2024-05-$day.tar.gz"
    done
}

on_one_line() {
    tr '\n' ' ' | sed 's/ $//'
}

expect "nothing to prune" "$(names 01 02 | sh prune.sh 4)" ""

expect "keeps as many as asked" \
    "$(names 03 01 04 02 | sh prune.sh 2 | on_one_line)" \
    "home-2024-05-02.tar.gz home-2024-05-01.tar.gz"

expect "keeps five by default" \
    "$(names 01 02 03 04 05 06 | sh prune.sh)" "home-2024-05-01.tar.gz"

expect "other files are never listed" \
    "$( (echo notes.txt; echo readme; echo home.tar.gz) | sh prune.sh 1)" ""

sh prune.sh many </dev/null 2>/dev/null
expect "KEEP must be a number" "$?" "2"

[ "$failures" -eq 0 ]
