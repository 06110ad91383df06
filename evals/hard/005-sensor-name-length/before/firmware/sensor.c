#include "sensor.h"

#include <stddef.h>

static struct sensor table[SENSOR_MAX];
static size_t used;

struct sensor *sensor_add(uint8_t bus_address)
{
    struct sensor *s;

    if (used >= SENSOR_MAX)
        return NULL;
    s = &table[used++];
    s->bus_address = bus_address;
    s->name[0] = '\0';
    s->unit[0] = '\0';
    s->offset = 0;
    return s;
}

void sensor_set_name(struct sensor *s, const char *name)
{
    size_t i;

    for (i = 0; i < SENSOR_NAME_SIZE - 2 && name[i]; i++)
        s->name[i] = name[i];
    s->name[i] = '\0';
}

void sensor_set_unit(struct sensor *s, const char *unit)
{
    size_t i;

    for (i = 0; i < SENSOR_UNIT_SIZE - 1 && unit[i]; i++)
        s->unit[i] = unit[i];
    s->unit[i] = '\0';
}

struct sensor *sensor_find(uint8_t bus_address)
{
    size_t i;

    for (i = 0; i < used; i++) {
        if (table[i].bus_address == bus_address)
            return &table[i];
    }
    return NULL;
}
