#include "ini.h"

#include <ctype.h>
#include <string.h>

static void copy_trimmed(char *to, const char *from, size_t length)
{
    while (length > 0 && isspace((unsigned char)*from)) {
        from++;
        length--;
    }
    while (length > 0 && isspace((unsigned char)from[length - 1]))
        length--;
    if (length >= INI_TEXT)
        length = INI_TEXT - 1;
    memcpy(to, from, length);
    to[length] = '\0';
}

enum ini_kind ini_parse(const char *text, struct ini_line *line)
{
    const char *mark;

    line->key[0] = '\0';
    line->value[0] = '\0';
    while (isspace((unsigned char)*text))
        text++;
    if (*text == '\0')
        return INI_NOTHING;
    if (*text == ';') {
        copy_trimmed(line->value, text + 1, strlen(text + 1));
    }
    if (*text == '[') {
        mark = strchr(text, ']');
        if (mark == NULL)
            return INI_ERROR;
        copy_trimmed(line->key, text + 1, (size_t)(mark - text - 1));
        return INI_SECTION;
    }
    mark = strchr(text, '=');
    if (mark == NULL)
        return INI_ERROR;
    copy_trimmed(line->key, text, (size_t)(mark - text));
    copy_trimmed(line->value, mark + 1, strlen(mark + 1));
    return INI_PAIR;
}

int ini_count(const char *const *texts, int n)
{
    struct ini_line line;
    int count = 0;

    for (int i = 0; i < n; i++) {
        enum ini_kind kind = ini_parse(texts[i], &line);
        if (kind == INI_ERROR)
            return -1;
        if (kind == INI_PAIR)
            count++;
    }
    return count;
}
