#ifndef POWER_H
#define POWER_H

#include <stdint.h>

#define BATTERY_FULL_MV 4100u
#define BATTERY_LOW_MV 3500u
#define BATTERY_EMPTY_MV 3200u

enum beam {
    BEAM_OFF,
    BEAM_DIM,
    BEAM_FULL,
};

void power_init(void);
void power_tick(void);
enum beam power_allowed_beam(void);
int power_must_sleep(void);

#endif
