#ifndef CRC8_H
#define CRC8_H

#include <stddef.h>

unsigned char crc8(const unsigned char *data, size_t length);

#endif
