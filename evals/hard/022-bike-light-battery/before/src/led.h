#ifndef LED_H
#define LED_H

enum led {
    LED_RED,
    LED_GREEN,
};

/* Any value but zero switches the lamp on. */
void led_set(enum led which, int on);

#endif
