#include <stdio.h>
#include <string.h>

#include "commands.h"
#include "console.h"

#define MAX_ARGS 6

struct command {
    const char *name;
    const char *help;
    int (*run)(int argc, char **argv);
};

static int cmd_help(int argc, char **argv);

static const struct command commands[] = {
    { "help",    "show this list",             cmd_help },
    { "status",  "show uptime and free heap",  cmd_status },
    { "valve",   "open or close a valve",      cmd_valve },
    { "log",     "print the last log lines",   cmd_log },
    { "wifi",    "join a wireless network",    cmd_wifi },
    { "version", "show the firmware version",  cmd_version },
};

#define COMMAND_COUNT (sizeof commands / sizeof commands[0])

static int cmd_help(int argc, char **argv)
{
    (void)argc;
    (void)argv;
    for (size_t i = 0; i < COMMAND_COUNT; i++) {
        printf("%-8s %s\n", commands[i].name, commands[i].help);
    }
    return 0;
}

static int split(char *line, char **argv)
{
    int argc = 0;
    char *word = strtok(line, " \t\r\n");
    while (word != NULL && argc < MAX_ARGS) {
        argv[argc++] = word;
        word = strtok(NULL, " \t\r\n");
    }
    return argc;
}

int console_run(char *line)
{
    char *argv[MAX_ARGS];
    int argc = split(line, argv);

    if (argc == 0) {
        return 0;
    }
    for (size_t i = 0; i < COMMAND_COUNT; i++) {
        if (strcmp(commands[i].name, argv[0]) == 0) {
            return commands[i].run(argc, argv);
        }
    }
    printf("unknown command: %s\n", argv[0]);
    return -1;
}
