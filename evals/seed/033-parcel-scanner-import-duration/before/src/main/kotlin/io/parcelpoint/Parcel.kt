package io.parcelpoint

import java.time.Instant

data class Parcel(
    val code: String,
    val shelf: String,
    val arrivedAt: Instant,
    val isChilled: Boolean = false,
)
