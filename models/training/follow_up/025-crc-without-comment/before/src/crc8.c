#include "crc8.h"

unsigned char crc8_table[16] = {
    0x00, 0x31, 0x62, 0x53, 0xc4, 0xf5, 0xa6, 0x97,
    0xb9, 0x88, 0xdb, 0xea, 0x7d, 0x4c, 0x1f, 0x2e,
};

unsigned char crc8(const unsigned char *data, size_t length) {
    unsigned char crc = 0;
    while (length--) {
        crc ^= *data++;
        crc = (unsigned char)(crc << 4) ^ crc8_table[crc >> 4];
        crc = (unsigned char)(crc << 4) ^ crc8_table[crc >> 4];
    }
    return crc;
}
