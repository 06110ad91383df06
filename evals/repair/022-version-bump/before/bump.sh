#!/bin/sh
# Prints the version that follows.
#
# usage: bump.sh major|minor|patch VERSION

fail() {
    echo "bump.sh: $1" >&2
    exit 1
}

[ $# -eq 2 ] || fail "need a part and a version"

part=$1
version=${2#v}

case $version in
    *[!0-9.]* | *.*.*.* | .* | *. | *..*) fail "not a version: $2" ;;
    *.*.*) ;;
    *) fail "not a version: $2" ;;
esac

major=${version%%.*}
patch=${version##*.}
minor=${version#*.}
minor=${minor%.*}

case $part in
    major) echo "$((major + 1)).0.0" ;;
    minor) echo "$major.$((patch + 1)).0" ;;
    patch) echo "$major.$minor.$((patch + 1))" ;;
    *) fail "no such part: $part" ;;
esac
