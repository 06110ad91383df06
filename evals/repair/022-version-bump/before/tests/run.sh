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

expect "patch" "$(sh bump.sh patch 1.4.9)" "1.4.10"
expect "minor" "$(sh bump.sh minor 1.4.9)" "1.5.0"
expect "major" "$(sh bump.sh major 1.4.9)" "2.0.0"
expect "leading v" "$(sh bump.sh major v0.7.3)" "1.0.0"
expect "two numbers only" "$(sh bump.sh patch 1.4 2>&1)" \
    "bump.sh: not a version: 1.4"
expect "unknown part" "$(sh bump.sh tiny 1.4.9 2>&1)" \
    "bump.sh: no such part: tiny"

sh bump.sh patch >/dev/null 2>&1
expect "status without a version" "$?" "1"

[ "$failures" -eq 0 ]
