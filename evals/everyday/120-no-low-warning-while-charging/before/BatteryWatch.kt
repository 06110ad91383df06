package com.example.scooter

import java.time.Duration

data class Battery(
    val percent: Int,
    val celsius: Double,
    val charging: Boolean,
)

enum class Mode { ECO, CITY, SPORT }

interface Display {
    fun warn(text: String)
    fun clearWarnings()
    fun showRange(kilometers: Int)
}

class BatteryWatch(
    private val display: Display,
    private var mode: Mode = Mode.CITY,
) {
    private var lastRange = -1

    fun update(battery: Battery) {
        display.clearWarnings()
        warnAboutCharge(battery)
        warnAboutHeat(battery)
        showRange(battery)
    }

    fun choose(newMode: Mode, battery: Battery) {
        if (newMode == Mode.SPORT && battery.percent < 30) {
            display.warn("Not enough charge for sport mode")
            return
        }
        mode = newMode
        showRange(battery)
    }

    private fun warnAboutCharge(battery: Battery) {
        if (battery.percent < 15) {
            display.warn("Battery low")
        }
    }

    private fun warnAboutHeat(battery: Battery) {
        val limit = if (battery.charging) 45.0 else 60.0
        if (battery.celsius > limit) {
            display.warn("Battery too hot")
        }
    }

    private fun showRange(battery: Battery) {
        val range = battery.percent * kilometersPerPercent() / 10
        if (range != lastRange) {
            lastRange = range
            display.showRange(range)
        }
    }

    private fun kilometersPerPercent(): Int = when (mode) {
        Mode.ECO -> 6
        Mode.CITY -> 4
        Mode.SPORT -> 3
    }

    fun timeToFull(battery: Battery): Duration? {
        if (!battery.charging) {
            return null
        }
        return Duration.ofMinutes(2L * (100 - battery.percent))
    }
}
