package org.parcelo

import kotlin.math.asin
import kotlin.math.cos
import kotlin.math.pow
import kotlin.math.sin
import kotlin.math.sqrt

data class Stop(val parcelId: String, val lat: Double, val lon: Double, val windowStart: Int = 8, val windowEnd: Int = 18)

data class Route(val driver: String, val stops: List<Stop>, val lengthKm: Double)

/** Orders the stops of one van by a greedy nearest-neighbour walk. */
class RoutePlanner(private val depotLat: Double, private val depotLon: Double) {

    private val cache = HashMap<Pair<Stop, Stop>, Double>()

    fun plan(driver: String, stops: List<Stop>): Route {
        require(driver.isNotBlank()) { "driver must be given" }
        if (stops.isEmpty()) return Route(driver, emptyList(), 0.0)

        val open = stops.toMutableList()
        val ordered = ArrayList<Stop>(stops.size)
        var lat = depotLat
        var lon = depotLon
        var total = 0.0

        while (open.isNotEmpty()) {
            val next = open.minByOrNull { haversine(lat, lon, it.lat, it.lon) } ?: break
            total += haversine(lat, lon, next.lat, next.lon)
            ordered += next
            open -= next
            lat = next.lat
            lon = next.lon
        }
        total += haversine(lat, lon, depotLat, depotLon)
        return Route(driver, ordered, total)
    }

    fun split(stops: List<Stop>, vans: Int): List<List<Stop>> {
        require(vans > 0) { "at least one van" }
        val perVan = stops.size / vans
        return stops.sortedBy { it.lon }.chunked(maxOf(1, perVan))
    }

    fun distance(a: Stop, b: Stop): Double =
        cache.getOrPut(a to b) { haversine(a.lat, a.lon, b.lat, b.lon) }

    fun fitsWindow(stop: Stop, hour: Int): Boolean =
        hour >= stop.windowStart && hour <= stop.windowEnd

    fun estimateMinutes(route: Route): Int {
        val driving = route.lengthKm / AVERAGE_SPEED_KMH * 60
        val handling = route.stops.size * MINUTES_PER_STOP
        return (driving + handling).toInt()
    }

    private fun haversine(lat1: Double, lon1: Double, lat2: Double, lon2: Double): Double {
        val dLat = Math.toRadians(lat2 - lat1)
        val dLon = Math.toRadians(lon2 - lon1)
        val h = sin(dLat / 2).pow(2) +
            cos(Math.toRadians(lat1)) * cos(Math.toRadians(lat2)) * sin(dLon / 2).pow(2)
        return 2 * EARTH_RADIUS_KM * asin(sqrt(h))
    }

    companion object {
        const val EARTH_RADIUS_KM = 6371.0
        const val AVERAGE_SPEED_KMH = 38.0
        const val MINUTES_PER_STOP = 4
    }
}
