#!/bin/sh
# Judges the fullest disk in `df -P` output read from standard input.
#
# usage: df -P | disk_check.sh [WARN] [CRIT]       (percent, 80 and 90)

. "$(dirname "$0")/states.sh"

warn=${1:-80}
crit=${2:-90}

fullest=$(awk 'NR > 1 {
    use = $5
    sub(/%/, "", use)
    if (place == "" || use + 0 > most) { most = use + 0; place = $6 }
} END { if (place != "") print most, place }')

if [ -z "$fullest" ]; then
    echo "$(state_name unknown): no disks listed"
    exit "$STATE_UNKNOWN"
fi

percent=${fullest%% *}
place=${fullest#* }

if [ "$percent" -ge "$crit" ]; then
    echo "$(state_name critical): $place at $percent%"
    exit "$STATE_CRITICAL"
elif [ "$percent" -ge "$warn" ]; then
    echo "$(state_name warning): $place at $percent%"
    exit "$STATE_WARNING"
fi
echo "$(state_name ok): $place at $percent%"
exit "$STATE_OK"
