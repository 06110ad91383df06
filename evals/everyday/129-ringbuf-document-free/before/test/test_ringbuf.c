#include <assert.h>
#include <string.h>

#include "ringbuf.h"

int main(void)
{
    uint8_t memory[4];
    uint8_t out[4];
    ringbuf_t rb;

    rb_init(&rb, memory, sizeof memory);
    assert(rb_free(&rb) == 4);
    assert(rb_write(&rb, (const uint8_t *)"abcde", 5) == 4);
    assert(rb_read(&rb, out, 2) == 2);
    assert(memcmp(out, "ab", 2) == 0);
    assert(rb_used(&rb) == 2);
    return 0;
}
