#ifndef INI_H
#define INI_H

#define INI_TEXT 64

enum ini_kind {
    INI_NOTHING,
    INI_SECTION,
    INI_PAIR,
    INI_ERROR
};

struct ini_line {
    char key[INI_TEXT];
    char value[INI_TEXT];
};

/* Reads one line; a section leaves its name in key. */
enum ini_kind ini_parse(const char *text, struct ini_line *line);

/* How many settings there are in these lines, or -1 on an error. */
int ini_count(const char *const *texts, int n);

#endif
