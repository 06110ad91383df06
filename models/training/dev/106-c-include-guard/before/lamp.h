#ifndef LAMP_H
#define LAMP_H

#include <stdint.h>

struct lamp {
    uint8_t channel;
    uint8_t level;
    bool on;
};

void lamp_set(struct lamp *l, uint8_t level);
bool lamp_toggle(struct lamp *l);

#endif
