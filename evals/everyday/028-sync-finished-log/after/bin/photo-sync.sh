#!/bin/sh
# Copy new photos from the card to the archive and mirror the archive.

set -eu

CARD=${CARD:-/media/card/DCIM}
ARCHIVE=${ARCHIVE:-/srv/photos}
MIRROR=${MIRROR:-nas:/volume1/photos}
LOGFILE=${LOGFILE:-/var/log/photo-sync.log}

log() {
    printf '%s %s\n' "$(date '+%F %T')" "$1" >> "$LOGFILE"
}

die() {
    log "error: $1"
    echo "photo-sync: $1" >&2
    exit 1
}

need() {
    command -v "$1" > /dev/null 2>&1 || die "$1 is not installed"
}

import_photos() {
    count=0
    for file in "$CARD"/*/*.JPG "$CARD"/*/*.CR3; do
        [ -e "$file" ] || continue
        day=$(exiftool -s3 -d '%Y/%m/%d' -DateTimeOriginal "$file")
        target="$ARCHIVE/${day:-unknown}"
        mkdir -p "$target"
        if [ ! -e "$target/$(basename "$file")" ]; then
            cp -p "$file" "$target/"
            count=$((count + 1))
        fi
    done
    log "imported $count photos"
}

mirror_archive() {
    log "mirror started"
    rsync -a --delete "$ARCHIVE/" "$MIRROR/" || die "mirror failed"
    log "mirror finished"
}

check_space() {
    free=$(df -P "$ARCHIVE" | awk 'NR == 2 { print $4 }')
    [ "$free" -gt 5242880 ] || die "less than 5 GB left in $ARCHIVE"
}

main() {
    need exiftool
    need rsync
    log "sync started"
    check_space
    if [ -d "$CARD" ]; then
        import_photos
    else
        log "no card, skipping import"
    fi
    mirror_archive
    touch "$ARCHIVE/.last-sync"
    log "sync finished"
}

main "$@"
