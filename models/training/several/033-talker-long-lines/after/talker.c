#include <stdio.h>
#include <string.h>

#define LINE_SIZE 1024
#define NAME_SIZE 32

struct talker {
    char name[NAME_SIZE];
    FILE *in;
    FILE *out;
};

static void say(struct talker *to, const char *from, const char *text)
{
    char line[LINE_SIZE];

    snprintf(line, sizeof line, "%s: %s\n", from, text);
    fputs(line, to->out);
    fflush(to->out);
}

/* Pass the next line of one talker to the other; 0 at the end. */
int relay(struct talker *one, struct talker *other)
{
    char line[LINE_SIZE];

    if (!fgets(line, LINE_SIZE, one->in))
        return 0;
    line[strcspn(line, "\n")] = '\0';
    if (line[0] != '\0')
        say(other, one->name, line);
    return 1;
}
