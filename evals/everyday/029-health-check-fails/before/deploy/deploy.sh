#!/bin/sh
set -eu

cd "$(dirname "$0")"
. ./lib.sh

release=${1:?usage: deploy.sh RELEASE}

while read -r host role; do
    [ "$role" = web ] || continue
    if has_release "$host" "$release"; then
        log "$release is already on $host"
        continue
    fi
    scp -q "../build/$release.tar.gz" "$host:/tmp/"
    ssh -n "$host" "tickets-unpack /tmp/$release.tar.gz && systemctl restart tickets"
    wait_healthy "$host" || exit 1
    prune_releases "$host"
done < hosts.txt
