#!/bin/sh
# Shrinks every photo in the given folder.

dir=${1:-.}
out="$dir/small"
mkdir -p "$out"

for f in "$dir"/*.jpg; do
    convert "$f" -resize 1600x1600 -quality 82 "$out/$(basename "$f")"
done

du -sh "$out"
