#!/bin/sh
# Prints the copy commands that put a site on its server.
#
# usage: publish.sh --site FOLDER --target HOST:PATH [--quiet]

. "$(dirname "$0")/options.sh"

read_options "$@" || exit 2

host=${target%%:*}
path=${target#*:}

if [ "$quiet" = no ]; then
    echo "# publishing $site on $host"
fi
echo "rsync -a --delete $site/ $host:$path/"
