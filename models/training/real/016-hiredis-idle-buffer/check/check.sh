set -e
if grep -rn "REDIS_READER_MAX_BUF" src vendor; then
    exit 1
fi
grep -q "maxbuf = REDIS_READER_MAX_IDLE_BUF;" src/reader.c
cd vendor/hiredis
gcc -w -std=gnu99 -I. -o ../../built ../../check.c read.c alloc.c sds.c
../../built
