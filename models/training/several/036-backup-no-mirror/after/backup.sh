#!/bin/sh
# Back up the records of the choir.
set -eu

SOURCE=/srv/choir
TARGET=/var/backups/choir
KEEP=7

pack() {
    tar -C "$SOURCE" -czf "$1" scores recordings members.db
}

prune() {
    ls -1t "$TARGET"/choir-*.tar.gz | tail -n +$((KEEP + 1)) | while read -r old; do
        rm -- "$old"
    done
}

mkdir -p "$TARGET"
pack "$TARGET/choir-$(date +%Y%m%d).tar.gz"
prune
echo "backup done, $(du -sh "$TARGET" | cut -f1) in use"
