DAY_TEMP = 21.0
NIGHT_TEMP = 17.5
HYSTERESIS = 0.5


def wanted(hour):
    return DAY_TEMP if 6 <= hour < 22 else NIGHT_TEMP


def heater_on(hour, measured, was_on):
    limit = wanted(hour) + (HYSTERESIS if was_on else -HYSTERESIS)
    return measured < limit
