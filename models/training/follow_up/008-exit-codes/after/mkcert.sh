#!/bin/bash
set -euo pipefail

usage() {
    echo "usage: $0 HOSTNAME [DAYS]" >&2
    exit 64
}

[ $# -ge 1 ] || usage
host=$1
days=${2:-365}

if [ -e "$host.key" ]; then
    echo "$host.key exists already" >&2
    exit 73
fi

openssl req -x509 -newkey rsa:4096 -nodes \
    -keyout "$host.key" -out "$host.crt" \
    -days "$days" -subj "/CN=$host"
