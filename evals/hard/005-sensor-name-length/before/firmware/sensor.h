#ifndef SENSOR_H
#define SENSOR_H

#include <stdint.h>

/* Size of a name in memory, including the closing zero. */
#define SENSOR_NAME_SIZE 16
/* Size of a unit in memory, including the closing zero. */
#define SENSOR_UNIT_SIZE 6
#define SENSOR_MAX 12

struct sensor {
    uint8_t bus_address;
    char name[SENSOR_NAME_SIZE];
    char unit[SENSOR_UNIT_SIZE];
    int16_t offset;
};

struct sensor *sensor_add(uint8_t bus_address);
void sensor_set_name(struct sensor *s, const char *name);
void sensor_set_unit(struct sensor *s, const char *unit);
struct sensor *sensor_find(uint8_t bus_address);

#endif
