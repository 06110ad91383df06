#include "ring.h"

void ring_init(struct ring *r)
{
    r->start = 0;
    r->count = 0;
}

void ring_push(struct ring *r, int sample)
{
    int at = (r->start + r->count) % RING_SLOTS;

    r->samples[at] = sample;
    if (r->count < RING_SLOTS)
        r->count++;
    else
        r->start = (r->start + 1) % RING_SLOTS;
}

int ring_get(const struct ring *r, int index, int *sample)
{
    if (index < 0 || index >= r->count)
        return 0;
    *sample = r->samples[(r->start + index) % RING_SLOTS];
    return 1;
}

int ring_mean(const struct ring *r)
{
    long sum = 0;
    int sample;

    if (r->count == 0)
        return 0;
    for (int i = 0; ring_get(r, i, &sample); i++)
        sum += sample;
    return (int)(sum / r->count);
}
