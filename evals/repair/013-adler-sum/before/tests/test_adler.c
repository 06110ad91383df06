#include <stdio.h>
#include <string.h>

#include "adler.h"

static int failures;

static void expect(const char *test, uint32_t sum, const char *want)
{
    char got[9];

    adler_hex(sum, got);
    if (strcmp(got, want) != 0) {
        printf("FAIL %s: got %s, want %s\n", test, got, want);
        failures++;
    }
}

static void test_empty(void)
{
    expect("test_empty", adler32(ADLER_START, "", 0), "00000001");
}

static void test_word(void)
{
    expect("test_word", adler32(ADLER_START, "Wikipedia", 9), "11e60398");
}

static void test_two_parts(void)
{
    uint32_t sum = adler32(ADLER_START, "Wiki", 4);

    expect("test_two_parts", adler32(sum, "pedia", 5), "11e60398");
}

static void test_thousand_bytes_like_zlib(void)
{
    unsigned char block[1000];

    memset(block, 0xff, sizeof block);
    expect("test_thousand_bytes_like_zlib",
           adler32(ADLER_START, block, sizeof block), "e6e9e446");
}

static void test_counting_bytes_like_zlib(void)
{
    unsigned char block[5000];

    for (size_t i = 0; i < sizeof block; i++)
        block[i] = (unsigned char)(i % 251);
    expect("test_counting_bytes_like_zlib",
           adler32(ADLER_START, block, sizeof block), "44fc80ea");
}

int main(void)
{
    test_empty();
    test_word();
    test_two_parts();
    test_thousand_bytes_like_zlib();
    test_counting_bytes_like_zlib();
    printf("%s\n", failures ? "FAILED" : "all passed");
    return failures ? 1 : 0;
}
