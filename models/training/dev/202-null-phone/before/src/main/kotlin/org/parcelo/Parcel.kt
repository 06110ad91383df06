package org.parcelo

import java.time.Instant

enum class ParcelState { CREATED, PICKED_UP, IN_DEPOT, OUT_FOR_DELIVERY, DELIVERED, RETURNED }

data class Address(
    val street: String,
    val postcode: String,
    val city: String,
)

data class Parcel(
    val id: String,
    val weightGrams: Int,
    val recipient: Address,
    val state: ParcelState = ParcelState.CREATED,
    val createdAt: Instant = Instant.now(),
) {
    val isHeavy: Boolean
        get() = weightGrams > 20_000

    fun isFinished() = state == ParcelState.DELIVERED || state == ParcelState.RETURNED
}
