#!/bin/sh
# Reads backup names such as home-2024-05-17.tar.gz, one to a line, and
# prints those that are old enough to delete.
#
# usage: prune.sh [KEEP] < names        (KEEP defaults to 5)

keep=${1:-5}

case $keep in
    '' | *[!0-9]* | 0)
        echo "prune.sh: KEEP must be a positive number" >&2
        exit 2
        ;;
esac

only_backups() {
    grep -E '^[a-z]+-[0-9]{4}-[0-9]{2}-[0-9]{2}\.tar\.gz$'
}

only_backups | sort -r | tail -n "+$keep"
