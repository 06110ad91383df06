#!/bin/sh
set -eu

cd "$(dirname "$0")"
. ./lib.sh

release=${1:?usage: rollback.sh RELEASE}

while read -r host role; do
    [ "$role" = web ] || continue
    has_release "$host" "$release" || { log "$release is not on $host"; exit 1; }
    ssh -n "$host" "tickets-activate $release && systemctl restart tickets"
    wait_healthy "$host" || exit 1
done < hosts.txt
