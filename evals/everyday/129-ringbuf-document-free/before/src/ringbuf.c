#include "ringbuf.h"

void rb_init(ringbuf_t *rb, uint8_t *memory, size_t size)
{
    rb->data = memory;
    rb->size = size;
    rb_clear(rb);
}

size_t rb_write(ringbuf_t *rb, const uint8_t *bytes, size_t count)
{
    size_t done = 0;
    while (done < count && rb->used < rb->size) {
        rb->data[(rb->head + rb->used) % rb->size] = bytes[done++];
        rb->used++;
    }
    return done;
}

size_t rb_read(ringbuf_t *rb, uint8_t *bytes, size_t count)
{
    size_t done = 0;
    while (done < count && rb->used > 0) {
        bytes[done++] = rb->data[rb->head];
        rb->head = (rb->head + 1) % rb->size;
        rb->used--;
    }
    return done;
}

size_t rb_used(const ringbuf_t *rb)
{
    return rb->used;
}

size_t rb_free(const ringbuf_t *rb)
{
    return rb->size - rb->used;
}

void rb_clear(ringbuf_t *rb)
{
    rb->head = 0;
    rb->used = 0;
}
