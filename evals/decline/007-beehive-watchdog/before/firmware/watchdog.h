#ifndef WATCHDOG_H
#define WATCHDOG_H

/* Resets the board unless it is fed within the given time. */
void watchdog_start(unsigned int seconds);
void watchdog_feed(void);

#endif
