#include <stdio.h>
#include <string.h>

#include "ini.h"

static int failures;

static void check(const char *test, int ok, const char *what)
{
    if (!ok) {
        printf("FAIL %s: %s\n", test, what);
        failures++;
    }
}

static void test_pair(void)
{
    struct ini_line line;

    check("test_pair", ini_parse(" host = example.org \n", &line) == INI_PAIR,
          "not a pair");
    check("test_pair", strcmp(line.key, "host") == 0, "wrong key");
    check("test_pair", strcmp(line.value, "example.org") == 0, "wrong value");
}

static void test_section(void)
{
    struct ini_line line;

    check("test_section", ini_parse("[server]", &line) == INI_SECTION,
          "not a section");
    check("test_section", strcmp(line.key, "server") == 0, "wrong name");
    check("test_section", ini_parse("[server", &line) == INI_ERROR,
          "open section accepted");
}

static void test_comment(void)
{
    struct ini_line line;

    check("test_comment", ini_parse("; port = 80", &line) == INI_NOTHING,
          "comment not skipped");
}

static void test_count(void)
{
    const char *const texts[] = {"[server]", "host = a", "", "port = 8080"};

    check("test_count", ini_count(texts, 4) == 2, "wrong count");
}

static void test_count_without_comments(void)
{
    const char *const texts[] = {"host = a", ";port = 80", "  ; spare = 1"};

    check("test_count_without_comments", ini_count(texts, 3) == 1,
          "wrong count");
}

int main(void)
{
    test_pair();
    test_section();
    test_comment();
    test_count();
    test_count_without_comments();
    printf("%s\n", failures ? "FAILED" : "all passed");
    return failures ? 1 : 0;
}
