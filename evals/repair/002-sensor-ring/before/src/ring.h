#ifndef RING_H
#define RING_H

#define RING_SLOTS 8

/* The latest samples of one sensor. */
struct ring {
    int samples[RING_SLOTS];
    int start;
    int count;
};

void ring_init(struct ring *r);
void ring_push(struct ring *r, int sample);

/* Fetches a sample, 0 being the oldest; returns 0 if there is none. */
int ring_get(const struct ring *r, int index, int *sample);

int ring_mean(const struct ring *r);

#endif
