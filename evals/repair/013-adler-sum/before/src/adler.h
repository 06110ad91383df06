#ifndef ADLER_H
#define ADLER_H

#include <stddef.h>
#include <stdint.h>

/* The sum before any data has been seen. */
#define ADLER_START 1u

/* Carries a sum on over more data. */
uint32_t adler32(uint32_t sum, const void *data, size_t length);

/* Writes a sum as eight hex digits and a NUL. */
void adler_hex(uint32_t sum, char out[9]);

#endif
