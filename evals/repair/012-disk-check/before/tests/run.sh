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

disks() {
    echo "Filesystem 1024-blocks Used Available Capacity Mounted on"
    while [ $# -gt 0 ]; do
        echo "/dev/disk 1000 500 500 $1% $2"
        shift 2
    done
}

text=$(disks 12 / 40 /home | sh disk_check.sh)
expect "plenty of room" "$? $text" "0 OK: /home at 40%"

text=$(disks 85 / 40 /home | sh disk_check.sh)
expect "warning status" "$? $text" "1 WARNING: / at 85%"

text=$(disks 12 / 97 /srv | sh disk_check.sh)
expect "critical status" "$? $text" "2 CRITICAL: /srv at 97%"

text=$(disks 60 / | sh disk_check.sh 50 70)
expect "own limits" "$? $text" "1 WARNING: / at 60%"

text=$(disks | sh disk_check.sh)
expect "no disks" "$? $text" "3 UNKNOWN: no disks listed"

[ "$failures" -eq 0 ]
