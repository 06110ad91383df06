#!/usr/bin/env bash
set -euo pipefail

BASE=https://maps.example.org/extracts
DEST=${MAPS_DIR:-$HOME/maps}

mkdir -p "$DEST"
for region in alps jura vosges; do
    echo "fetching $region"
    curl -fsS -L -o "$DEST/$region.pbf" "$BASE/$region-latest.pbf"
done
