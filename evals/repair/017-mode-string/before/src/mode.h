#ifndef MODE_H
#define MODE_H

#define MODE_LENGTH 9

/* Writes permissions such as 0750 as "rwxr-x---" and a NUL. */
void mode_string(unsigned mode, char out[MODE_LENGTH + 1]);

/* Reads them back; returns -1 when the text makes no sense. */
int mode_parse(const char *text);

#endif
