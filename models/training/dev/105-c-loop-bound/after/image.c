#include <stddef.h>
#include <stdint.h>

void invert(uint8_t *pixels, size_t n)
{
    for (size_t i = 0; i < n; i++)
        pixels[i] = 255 - pixels[i];
}

uint8_t brightest(const uint8_t *pixels, size_t n)
{
    uint8_t max = 0;
    for (size_t i = 0; i < n; i++)
        if (pixels[i] > max)
            max = pixels[i];
    return max;
}
