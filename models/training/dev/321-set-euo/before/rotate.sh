#!/usr/bin/env bash
# keeps the newest seven archives
dir=${1:-/var/backups/wiki}
keep=7

tar -czf "$dir/wiki-$(date +%F).tar.gz" /srv/wiki
ls -1t "$dir"/wiki-*.tar.gz | tail -n +$((keep + 1)) | while read -r old; do
    echo "removing $old"
    rm -- "$old"
done
