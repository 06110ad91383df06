#include "adler.h"

#define BASE 65531u

uint32_t adler32(uint32_t sum, const void *data, size_t length)
{
    const unsigned char *byte = data;
    uint32_t low = sum & 0xffff;
    uint32_t high = sum >> 16;

    while (length-- > 0) {
        low = (low + *byte++) % BASE;
        high = (high + low) % BASE;
    }
    return high << 16 | low;
}

void adler_hex(uint32_t sum, char out[9])
{
    static const char digits[] = "0123456789abcdef";

    for (int i = 7; i >= 0; i--) {
        out[i] = digits[sum & 15];
        sum >>= 4;
    }
    out[8] = '\0';
}
