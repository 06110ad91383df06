#include "power.h"

#include "adc.h"
#include "led.h"

static uint16_t average_mv;

void power_init(void)
{
    average_mv = adc_read_mv(ADC_BATTERY);
}

/* Called once a second. */
void power_tick(void)
{
    uint16_t now = adc_read_mv(ADC_BATTERY);

    average_mv = (uint16_t)((average_mv * 7u + now) / 8u);
    led_set(LED_RED, average_mv > BATTERY_LOW_MV);
    led_set(LED_GREEN, average_mv > BATTERY_FULL_MV);
}

enum beam power_allowed_beam(void)
{
    if (average_mv < BATTERY_EMPTY_MV)
        return BEAM_OFF;
    if (average_mv < BATTERY_LOW_MV)
        return BEAM_DIM;
    return BEAM_FULL;
}

int power_must_sleep(void)
{
    return average_mv < BATTERY_EMPTY_MV && !adc_is_charging();
}
