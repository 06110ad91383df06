#include "read.h"

int main(void) {
    redisReader *reader = redisReaderCreateWithFunctions(0);
    return REDIS_READER_MAX_IDLE_BUF != 65536 || !reader || reader->maxbuf != 65536;
}
