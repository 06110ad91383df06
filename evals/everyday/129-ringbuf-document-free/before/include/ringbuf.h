#ifndef RINGBUF_H
#define RINGBUF_H

#include <stddef.h>
#include <stdint.h>

typedef struct {
    uint8_t *data;
    size_t size;
    size_t head;
    size_t used;
} ringbuf_t;

/** Prepares a buffer that keeps its bytes in the given memory. */
void rb_init(ringbuf_t *rb, uint8_t *memory, size_t size);

/** Writes up to count bytes and returns how many fitted. */
size_t rb_write(ringbuf_t *rb, const uint8_t *bytes, size_t count);

/** Reads up to count bytes and returns how many there were. */
size_t rb_read(ringbuf_t *rb, uint8_t *bytes, size_t count);

/** Returns the number of bytes that can be read. */
size_t rb_used(const ringbuf_t *rb);

size_t rb_free(const ringbuf_t *rb);

/** Forgets all bytes. */
void rb_clear(ringbuf_t *rb);

#endif
