#include "mode.h"

#include <string.h>

static const char letters[] = "rwxrwxrwx";

void mode_string(unsigned mode, char out[MODE_LENGTH + 1])
{
    for (int i = 0; i < MODE_LENGTH; i++) {
        unsigned bit = 1u << (MODE_LENGTH - 1 - i);
        out[i] = (mode & bit) ? letters[i] : '-';
    }
    out[MODE_LENGTH] = '\0';
}

int mode_parse(const char *text)
{
    int mode = 0;

    if (strlen(text) != MODE_LENGTH)
        return -1;
    for (int i = 0; i < MODE_LENGTH; i++) {
        mode <<= 1;
        if (text[i] == letters[i])
            mode |= 1;
        else if (text[i] != '-')
            return -1;
    }
    return mode;
}
