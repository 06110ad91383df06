#!/bin/sh
# Back up the records of the choir.
set -eu

SOURCE=/srv/choir
TARGET=/var/backups/choir
MIRROR=backup@mirror.example.org:choir
KEEP=7

pack() {
    tar -C "$SOURCE" -czf "$1" scores recordings members.db
}

upload() {
    rsync -a --delete "$TARGET/" "$MIRROR/"
}

prune() {
    ls -1t "$TARGET"/choir-*.tar.gz | tail -n +$((KEEP + 1)) | while read -r old; do
        rm -- "$old"
    done
}

mkdir -p "$TARGET"
pack "$TARGET/choir-$(date +%Y%m%d).tar.gz"
prune
upload
echo "backup done, $(du -sh "$TARGET" | cut -f1) in use"
