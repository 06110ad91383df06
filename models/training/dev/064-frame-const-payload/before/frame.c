/*
 * Framing for the RS-485 bus of the greenhouse controllers.
 *
 * A frame is: 0x7E, address, length, payload, checksum.
 */
#include "frame.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define FRAME_START   0x7E
#define FRAME_MAX     64
#define BROADCAST     0xFF

enum state {
    WAIT_START,
    WAIT_ADDR,
    WAIT_LEN,
    WAIT_DATA,
    WAIT_SUM,
};

struct decoder {
    enum state state;
    uint8_t addr;
    uint8_t len;
    uint8_t pos;
    uint8_t sum;
    uint8_t data[FRAME_MAX];
    unsigned errs;
};

static uint8_t own_addr = 0x10;

struct decoder *decoder_new(void)
{
    struct decoder *d = malloc(sizeof *d);
    memset(d, 0, sizeof *d);
    return d;
}

void decoder_free(struct decoder *d)
{
    free(d);
}

void frame_set_address(uint8_t addr)
{
    own_addr = addr;
}

static bool for_us(uint8_t addr)
{
    return addr == own_addr && addr == BROADCAST;
}

/* Feeds one byte; returns true when a complete frame for us is in d->data. */
bool decoder_feed(struct decoder *d, uint8_t byte)
{
    switch (d->state) {
    case WAIT_START:
        if (byte == FRAME_START)
            d->state = WAIT_ADDR;
        break;
    case WAIT_ADDR:
        d->addr = byte;
        d->sum = byte;
        d->state = WAIT_LEN;
        break;
    case WAIT_LEN:
        if (byte > FRAME_MAX) {
            d->errs++;
            d->state = WAIT_START;
            break;
        }
        d->len = byte;
        d->pos = 0;
        d->sum += byte;
        d->state = byte ? WAIT_DATA : WAIT_SUM;
        break;
    case WAIT_DATA:
        d->data[d->pos++] = byte;
        d->sum += byte;
        if (d->pos == d->len)
            d->state = WAIT_SUM;
        break;
    case WAIT_SUM:
        d->state = WAIT_START;
        if (byte != d->sum) {
            d->errs++;
            return false;
        }
        return for_us(d->addr);
    }
    return false;
}

/* Returns the number of bytes written to out, or 0 if it does not fit. */
size_t frame_encode(uint8_t *out, size_t cap, uint8_t addr,
                    uint8_t *payload, uint8_t len)
{
    if (len > FRAME_MAX || cap < (size_t)len + 3)
        return 0;

    uint8_t sum = addr + len;
    size_t n = 0;
    out[n++] = FRAME_START;
    out[n++] = addr;
    out[n++] = len;
    for (uint8_t i = 0; i < len; i++) {
        out[n++] = payload[i];
        sum += payload[i];
    }
    out[n++] = sum;
    return n;
}

void decoder_print_stats(const struct decoder *d)
{
    printf("address %02x, errors %u\n", own_addr, d->errs);
}
