package io.parcelpoint

import java.time.Clock
import java.time.Instant
import java.time.ZoneId
import java.time.Duration

/** How long a parcel waits at the counter. */
class PickupWindow(private val clock: Clock, private val zone: ZoneId) {
    private val normal = Duration.ofDays(7)
    private val chilled = Duration.ofHours(36)

    fun closesAt(parcel: Parcel): Instant {
        val start = parcel.arrivedAt
        return if (parcel.isChilled) start.plus(chilled) else start.plus(normal)
    }

    fun isOver(parcel: Parcel): Boolean = clock.instant() >= closesAt(parcel)

    fun left(parcel: Parcel): Duration {
        val rest = Duration.between(clock.instant(), closesAt(parcel))
        return if (rest.isNegative) Duration.ZERO else rest
    }

    fun label(parcel: Parcel): String {
        val day = closesAt(parcel).atZone(zone)
        return "until ${day.dayOfMonth}.${day.monthValue}., ${day.hour} h"
    }
}
