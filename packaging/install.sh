#!/bin/sh
# Puts slotwright, its completions and its manual pages under a prefix, or takes them away again.
#
#   ./install.sh [--prefix DIR]             install; DIR is ~/.local if it is not given
#   ./install.sh --remove [--prefix DIR]    remove what was installed there, and nothing else
#
# What is installed is listed in DIR/lib/slotwright/installed, one path a line; folders that were
# made for it end with a slash. A file that is not in that list is never overwritten or removed.
set -eu

say() { printf 'install.sh: %s\n' "$*" >&2; }
die() { say "$@"; exit 1; }
usage() { die "usage: ./install.sh [--remove] [--prefix DIR]"; }

[ -n "${HOME:-}" ] || HOME=/nonexistent
prefix=$HOME/.local
action=install
while [ $# -gt 0 ]; do
    case $1 in
    --prefix) [ $# -ge 2 ] && [ -n "$2" ] || usage; prefix=$2; shift ;;
    --prefix=?*) prefix=${1#--prefix=} ;;
    --remove) action=remove ;;
    *) usage ;;
    esac
    shift
done
case $prefix in /*) ;; *) prefix=$PWD/$prefix ;; esac
here=$(cd "$(dirname "$0")" && pwd)
home=lib/slotwright
list=$prefix/$home/installed

# Removes what the list names: files first, then folders, the innermost first, if they are empty.
remove() {
    while IFS= read -r path; do
        case $path in */) ;; *) rm -f "$prefix/$path" ;; esac
    done <"$list"
    folders=$(grep '/$' "$list" | sort -r)
    rm -f "$list"
    printf '%s\n' "$folders" | while IFS= read -r path; do
        [ -z "$path" ] || rmdir "$prefix/$path" 2>/dev/null || true
    done
}

# Makes a folder under the prefix, and lists it and its parents if they are new.
make_folder() {
    [ -d "$prefix/$1" ] && return
    case $1 in */*) make_folder "${1%/*}" ;; esac
    mkdir "$prefix/$1"
    printf '%s/\n' "$1" >>"$new_list"
}

# put FILE PATH: copies a file of the archive to a path under the prefix.
put() {
    make_folder "${2%/*}"
    printf '%s\n' "$2" >>"$new_list"
    cp "$here/$1" "$prefix/$2"
}

# Every file, as "from to".
files() {
    cd "$here"
    for file in slotwright lib/* LICENSE* NOTICE; do
        [ ! -f "$file" ] || printf '%s %s\n' "$file" "$home/$file"
    done
    printf '%s %s\n' completions/slotwright.bash share/bash-completion/completions/slotwright
    printf '%s %s\n' completions/_slotwright share/zsh/site-functions/_slotwright
    printf '%s %s\n' completions/slotwright.fish share/fish/vendor_completions.d/slotwright.fish
    for file in man/*.1; do printf '%s %s\n' "$file" "share/man/man1/${file#man/}"; done
}

if [ "$action" = remove ]; then
    [ -f "$list" ] || die "nothing was installed in $prefix: there is no $list"
    remove
    say "removed slotwright from $prefix"
    exit
fi

all=$(files)
# The archive is whole, and nothing of somebody else is in the way, before anything is changed.
{ printf '%s\n' "$all"; echo "slotwright bin/slotwright"; } | while read -r from to; do
    [ -f "$here/$from" ] || die "$here/$from is missing: unpack the whole archive again"
    if [ -e "$prefix/$to" ] || [ -L "$prefix/$to" ]; then
        grep -qxF "$to" "$list" 2>/dev/null ||
            die "$prefix/$to was not put there by install.sh; move it away first"
    fi
done
[ ! -f "$list" ] || remove # an older version

mkdir -p "$prefix"
new_list=$(mktemp)
# What was put there is listed even if the disk is full in the middle of it, so that it can be
# removed.
keep_list() {
    code=$?
    [ ! -d "$prefix/$home" ] || cp "$new_list" "$list"
    rm -f "$new_list"
    exit "$code"
}
trap keep_list EXIT
make_folder "$home"
printf '%s\n' "$all" | while read -r from to; do put "$from" "$to"; done
make_folder bin
echo bin/slotwright >>"$new_list"
# The program finds its libraries beside the file that the link leads to.
ln -s "../$home/slotwright" "$prefix/bin/slotwright"

say "installed slotwright in $prefix"
case :${PATH:-}: in
*:"$prefix/bin":*) ;;
*) say "$prefix/bin is not in your PATH: add it there" ;;
esac
say "to remove it: ./install.sh --remove --prefix '$prefix'"
