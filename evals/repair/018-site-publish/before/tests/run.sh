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

expect "prints the copy command" \
    "$(sh publish.sh --quiet --site out --target web1:/srv/www)" \
    "rsync -a --delete out/ web1:/srv/www/"

expect "says where it publishes" \
    "$(sh publish.sh --site out --target web1:/srv/www | head -n 1)" \
    "# publishing out on web1"

expect "site is required" \
    "$(sh publish.sh --target web1:/srv/www 2>&1)" \
    "publish: missing option: --site"

expect "target is required" \
    "$(sh publish.sh --site out 2>&1)" \
    "publish: missing option: --target"

expect "unknown option" \
    "$(sh publish.sh --force 2>&1)" "publish: unknown option: --force"

sh publish.sh --site out >/dev/null 2>&1
expect "status when incomplete" "$?" "2"

[ "$failures" -eq 0 ]
