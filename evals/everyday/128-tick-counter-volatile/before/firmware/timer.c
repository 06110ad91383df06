#include <stdbool.h>
#include <stdint.h>

#include "board.h"
#include "timer.h"

#define DEBOUNCE_MS 20

static uint32_t ticks_ms;
static uint32_t last_press_ms;
static volatile bool button_down;

void timer_init(void)
{
    board_timer_start(1000);
    board_irq_enable(IRQ_TIMER);
    board_irq_enable(IRQ_BUTTON);
}

void timer_irq(void)
{
    ticks_ms++;
}

void button_irq(void)
{
    button_down = board_button_read();
}

void delay_ms(uint32_t ms)
{
    uint32_t start = ticks_ms;
    while (ticks_ms - start < ms) {
    }
}

bool button_pressed(void)
{
    if (!button_down || ticks_ms - last_press_ms < DEBOUNCE_MS) {
        return false;
    }
    last_press_ms = ticks_ms;
    return true;
}
