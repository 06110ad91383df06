#include <stdio.h>
#include <string.h>

#include "mode.h"

static int failures;

static void expect_text(const char *test, unsigned mode, const char *want)
{
    char got[MODE_LENGTH + 1];

    mode_string(mode, got);
    if (strcmp(got, want) != 0) {
        printf("FAIL %s: %03o gives %s, want %s\n", test, mode, got, want);
        failures++;
    }
}

static void expect_mode(const char *test, const char *text, int want)
{
    int got = mode_parse(text);

    if (got != want) {
        printf("FAIL %s: %s gives %o, want %o\n", test, text,
               (unsigned)got, (unsigned)want);
        failures++;
    }
}

static void test_everything_allowed(void)
{
    expect_text("test_everything_allowed", 0777, "rwxrwxrwx");
}

static void test_missing_rights_are_dashes(void)
{
    expect_text("test_missing_rights_are_dashes", 0750, "rwxr-x---");
    expect_text("test_missing_rights_are_dashes", 0, "---------");
}

static void test_parse(void)
{
    expect_mode("test_parse", "rw-r--r--", 0644);
}

static void test_parse_bad_text(void)
{
    expect_mode("test_parse_bad_text", "rw-r--r-", -1);
    expect_mode("test_parse_bad_text", "wr-r--r--", -1);
}

int main(void)
{
    test_everything_allowed();
    test_missing_rights_are_dashes();
    test_parse();
    test_parse_bad_text();
    printf("%s\n", failures ? "FAILED" : "all passed");
    return failures ? 1 : 0;
}
