# Reads the command line of publish.sh into $site, $target and $quiet.

read_options() {
    site=
    target=
    quiet=no
    while [ $# -gt 0 ]; do
        case $1 in
            --site) site=$2; shift 2 || return 2 ;;
            --target) target=$2; shift 2 || return 2 ;;
            --quiet) quiet=yes; shift ;;
            *) echo "publish: unknown option: $1" >&2; return 2 ;;
        esac
    done
    if [ -z "$site" ]; then
        echo "publish: missing option: --site" >&2
        return 2
    fi
    if [ -z "$target" ]; then
        echo "publish: missing option: --dest" >&2
        return 2
    fi
}
