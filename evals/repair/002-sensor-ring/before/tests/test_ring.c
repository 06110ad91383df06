#include <stdio.h>

#include "ring.h"

static int failures;

static void expect(const char *test, int got, int want)
{
    if (got != want) {
        printf("FAIL %s: got %d, want %d\n", test, got, want);
        failures++;
    }
}

static void fill(struct ring *r, int from, int to)
{
    ring_init(r);
    for (int i = from; i <= to; i++)
        ring_push(r, i);
}

static void test_empty(void)
{
    struct ring r;
    int sample;

    ring_init(&r);
    expect("test_empty", ring_get(&r, 0, &sample), 0);
    expect("test_empty", ring_mean(&r), 0);
}

static void test_oldest_first(void)
{
    struct ring r;
    int sample = -1;

    fill(&r, 10, 12);
    ring_get(&r, 0, &sample);
    expect("test_oldest_first", sample, 10);
    expect("test_oldest_first", ring_mean(&r), 11);
}

static void test_holds_every_slot(void)
{
    struct ring r;
    int sample = -1;

    fill(&r, 1, RING_SLOTS);
    expect("test_holds_every_slot", r.count, RING_SLOTS);
    ring_get(&r, 0, &sample);
    expect("test_holds_every_slot", sample, 1);
}

static void test_keeps_latest(void)
{
    struct ring r;
    int sample = -1;

    fill(&r, 1, 30);
    ring_get(&r, r.count - 1, &sample);
    expect("test_keeps_latest", sample, 30);
}

int main(void)
{
    test_empty();
    test_oldest_first();
    test_holds_every_slot();
    test_keeps_latest();
    printf("%s\n", failures ? "FAILED" : "all passed");
    return failures ? 1 : 0;
}
