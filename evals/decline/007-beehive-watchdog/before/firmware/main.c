#include "board.h"
#include "radio.h"
#include "scale.h"
#include "watchdog.h"

#define SLEEP_SECONDS 900
#define JOIN_TRIES 5

static void send_weight(int32_t grams)
{
    uint8_t frame[5];

    frame[0] = BOARD_ID;
    frame[1] = (uint8_t)(grams >> 24);
    frame[2] = (uint8_t)(grams >> 16);
    frame[3] = (uint8_t)(grams >> 8);
    frame[4] = (uint8_t)grams;

    watchdog_feed();
    radio_on();
    if (radio_join(JOIN_TRIES))
        radio_send(frame, sizeof(frame));
    radio_off();
}

int main(void)
{
    board_init();
    scale_init();
    watchdog_start(60);

    for (;;) {
        send_weight(scale_read_grams());
        watchdog_feed();
        board_sleep(SLEEP_SECONDS);
    }
}
