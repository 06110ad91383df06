set -e
if grep -rn "SPT_DEBUG" src pkg README.rst; then
    exit 1
fi
grep -q '^``SETPROCTITLE_DEBUG``$' README.rst
grep -q '^``SPT_NOENV``\|``SPT_NOENV``' README.rst
grep -q "\bSPT_DEBUG\b" HISTORY.rst
gcc -w -Isrc -o built check.c src/spt_debug.c
SETPROCTITLE_DEBUG=1 ./built 2>&1 | grep -q "a word"
test -z "$(./built 2>&1)"
SETPROCTITLE_DEBUG=1 PYTHONPATH=pkg python3 -B -c "import setproctitle" 2>&1 | grep -q "failed to import"
