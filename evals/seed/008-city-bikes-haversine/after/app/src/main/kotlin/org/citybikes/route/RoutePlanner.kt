package org.citybikes.route

import java.time.Duration
import java.time.LocalTime
import java.util.PriorityQueue
import kotlin.math.asin
import kotlin.math.ceil
import kotlin.math.cos
import kotlin.math.pow
import kotlin.math.sin
import kotlin.math.sqrt

data class Point(val lat: Double, val lon: Double)

data class Station(
    val id: String,
    val name: String,
    val at: Point,
    val docks: Int,
    val bikes: Int,
    val opens: LocalTime = LocalTime.MIN,
    val closes: LocalTime = LocalTime.MAX,
) {
    val freeDocks: Int get() = docks - bikes

    fun isOpenAt(time: LocalTime): Boolean = time >= opens && time <= closes
}

data class Lane(
    val from: String,
    val to: String,
    val kind: LaneKind,
    val climbMeters: Double = 0.0,
    val oneWay: Boolean = false,
)

enum class LaneKind(val speedKmh: Double, val comfort: Int) {
    CYCLE_TRACK(18.0, 5),
    PAINTED_LANE(17.0, 3),
    QUIET_STREET(15.0, 4),
    BUS_LANE(16.0, 2),
    FOOTPATH(5.0, 1),
}

data class Leg(
    val from: Station,
    val to: Station,
    val meters: Double,
    val duration: Duration,
    val kind: LaneKind,
)

data class Route(val legs: List<Leg>) {
    val meters: Double get() = legs.sumOf { it.meters }
    val duration: Duration get() = legs.fold(Duration.ZERO) { sum, leg -> sum + leg.duration }
    val comfort: Double
        get() = if (meters == 0.0) 0.0 else legs.sumOf { it.kind.comfort * it.meters } / meters
}

sealed class PlanResult {
    data class Found(val route: Route, val walkTo: Double, val walkFrom: Double) : PlanResult()
    data class NoBike(val nearest: Station?) : PlanResult()
    data class NoDock(val nearest: Station?) : PlanResult()
    object NotConnected : PlanResult()
}

data class PlanOptions(
    val maxWalkMeters: Double = 600.0,
    val preferComfort: Boolean = false,
    val avoid: Set<LaneKind> = emptySet(),
    val leaveAt: LocalTime = LocalTime.NOON,
)

private const val EARTH_RADIUS_M = 6_371_000.0
private const val WALK_KMH = 4.8
private const val SECONDS_PER_CLIMB_METER = 4.0
private const val UNLOCK_SECONDS = 25L
private const val DETOUR_FACTOR = 1.25

class RoutePlanner(
    private val stations: List<Station>,
    private val lanes: List<Lane>,
) {
    private val byId: Map<String, Station> = stations.associateBy { it.id }
    private val outgoing: Map<String, List<Lane>> = buildOutgoing()

    init {
        for (lane in lanes) {
            require(lane.from in byId) { "lane starts at unknown station ${lane.from}" }
            require(lane.to in byId) { "lane ends at unknown station ${lane.to}" }
        }
    }

    fun plan(start: Point, goal: Point, options: PlanOptions = PlanOptions()): PlanResult {
        val first = pickStart(start, options)
            ?: return PlanResult.NoBike(nearest(start) { it.bikes > 0 })
        val last = pickGoal(goal, options)
            ?: return PlanResult.NoDock(nearest(goal) { it.freeDocks > 0 })
        if (first.id == last.id) {
            return PlanResult.Found(
                Route(emptyList()),
                walkTo = haversineMeters(start, first.at),
                walkFrom = haversineMeters(last.at, goal),
            )
        }
        val route = search(first, last, options) ?: return PlanResult.NotConnected
        return PlanResult.Found(
            route,
            walkTo = haversineMeters(start, first.at),
            walkFrom = haversineMeters(last.at, goal),
        )
    }

    /** Stations around a point, the closest first. */
    fun around(point: Point, radiusMeters: Double): List<Pair<Station, Double>> =
        stations
            .map { it to haversineMeters(point, it.at) }
            .filter { (_, meters) -> meters <= radiusMeters }
            .sortedBy { (_, meters) -> meters }

    fun describe(result: PlanResult): String = when (result) {
        is PlanResult.Found -> describeFound(result)
        is PlanResult.NoBike -> "No bike within reach" + hint(result.nearest)
        is PlanResult.NoDock -> "No free dock near your goal" + hint(result.nearest)
        PlanResult.NotConnected -> "There is no way to cycle there"
    }

    private fun describeFound(found: PlanResult.Found): String {
        val lines = mutableListOf<String>()
        lines += "Walk ${round(found.walkTo)} m to the bike"
        for (group in joinByKind(found.route.legs)) {
            val meters = group.sumOf { it.meters }
            lines += "${label(group.first().kind)} for ${round(meters)} m to ${group.last().to.name}"
        }
        lines += "Walk ${round(found.walkFrom)} m to your goal"
        val total = found.route.duration + walking(found.walkTo) + walking(found.walkFrom)
        lines += "About ${ceil(total.seconds / 60.0).toInt()} minutes"
        return lines.joinToString("\n")
    }

    private fun joinByKind(legs: List<Leg>): List<List<Leg>> {
        val groups = mutableListOf<MutableList<Leg>>()
        for (leg in legs) {
            val open = groups.lastOrNull()
            if (open != null && open.last().kind == leg.kind) {
                open += leg
            } else {
                groups += mutableListOf(leg)
            }
        }
        return groups
    }

    private fun label(kind: LaneKind): String = when (kind) {
        LaneKind.CYCLE_TRACK -> "Follow the cycle track"
        LaneKind.PAINTED_LANE -> "Stay in the bike lane"
        LaneKind.QUIET_STREET -> "Ride along quiet streets"
        LaneKind.BUS_LANE -> "Use the bus lane"
        LaneKind.FOOTPATH -> "Push the bike"
    }

    private fun hint(station: Station?): String =
        if (station == null) "" else ", the closest is at ${station.name}"

    private fun round(meters: Double): Int =
        if (meters < 100) ceil(meters / 10).toInt() * 10 else ceil(meters / 50).toInt() * 50

    private fun walking(meters: Double): Duration =
        Duration.ofSeconds((meters * DETOUR_FACTOR / (WALK_KMH / 3.6)).toLong())

    private fun pickStart(start: Point, options: PlanOptions): Station? =
        stations
            .filter { it.bikes > 0 && it.isOpenAt(options.leaveAt) }
            .filter { haversineMeters(start, it.at) <= options.maxWalkMeters }
            .minByOrNull { haversineMeters(start, it.at) - bonus(it.bikes) }

    private fun pickGoal(goal: Point, options: PlanOptions): Station? =
        stations
            .filter { it.freeDocks > 0 && it.isOpenAt(options.leaveAt) }
            .filter { haversineMeters(it.at, goal) <= options.maxWalkMeters }
            .minByOrNull { haversineMeters(it.at, goal) - bonus(it.freeDocks) }

    /** A full rack is worth a few steps more. */
    private fun bonus(available: Int): Double = when {
        available >= 8 -> 60.0
        available >= 4 -> 30.0
        else -> 0.0
    }

    private fun nearest(point: Point, accept: (Station) -> Boolean): Station? =
        stations.filter(accept).minByOrNull { haversineMeters(point, it.at) }

    private fun buildOutgoing(): Map<String, List<Lane>> {
        val result = mutableMapOf<String, MutableList<Lane>>()
        for (lane in lanes) {
            result.getOrPut(lane.from) { mutableListOf() } += lane
            if (!lane.oneWay) {
                val back = lane.copy(from = lane.to, to = lane.from, climbMeters = -lane.climbMeters)
                result.getOrPut(back.from) { mutableListOf() } += back
            }
        }
        return result
    }

    private data class Open(val station: Station, val cost: Double, val estimate: Double)

    private fun search(first: Station, last: Station, options: PlanOptions): Route? {
        val costs = mutableMapOf(first.id to 0.0)
        val cameBy = mutableMapOf<String, Leg>()
        val closed = mutableSetOf<String>()
        val open = PriorityQueue<Open>(compareBy { it.estimate })
        open += Open(first, 0.0, lowerBound(first, last))

        while (open.isNotEmpty()) {
            val current = open.poll().station
            if (current.id == last.id) return unwind(cameBy, first, last)
            if (!closed.add(current.id)) continue

            for (lane in outgoing[current.id].orEmpty()) {
                if (lane.kind in options.avoid) continue
                val next = byId.getValue(lane.to)
                if (next.id in closed) continue
                val leg = legFor(current, next, lane)
                val cost = costs.getValue(current.id) + weigh(leg, options)
                if (cost < (costs[next.id] ?: Double.MAX_VALUE)) {
                    costs[next.id] = cost
                    cameBy[next.id] = leg
                    open += Open(next, cost, cost + lowerBound(next, last))
                }
            }
        }
        return null
    }

    private fun unwind(cameBy: Map<String, Leg>, first: Station, last: Station): Route {
        val legs = ArrayDeque<Leg>()
        var id = last.id
        while (id != first.id) {
            val leg = cameBy.getValue(id)
            legs.addFirst(leg)
            id = leg.from.id
        }
        return Route(legs.toList())
    }

    private fun legFor(from: Station, to: Station, lane: Lane): Leg {
        val meters = haversineMeters(from.at, to.at) * DETOUR_FACTOR
        val riding = meters / (lane.kind.speedKmh / 3.6)
        val climbing = maxOf(0.0, lane.climbMeters) * SECONDS_PER_CLIMB_METER
        return Leg(from, to, meters, Duration.ofSeconds((riding + climbing).toLong()), lane.kind)
    }

    private fun weigh(leg: Leg, options: PlanOptions): Double {
        val seconds = leg.duration.seconds.toDouble()
        if (!options.preferComfort) return seconds
        return seconds * (1.0 + (5 - leg.kind.comfort) * 0.2)
    }

    /** Never more than the true cost, or the search would miss the best route. */
    private fun lowerBound(from: Station, to: Station): Double =
        haversineMeters(from.at, to.at) / (LaneKind.CYCLE_TRACK.speedKmh / 3.6)

    fun startDelay(): Duration = Duration.ofSeconds(UNLOCK_SECONDS)
}

private fun haversineMeters(a: Point, b: Point): Double {
    val lat1 = Math.toRadians(a.lat)
    val lat2 = Math.toRadians(b.lat)
    val dLat = lat2 - lat1
    val dLon = Math.toRadians(b.lon - a.lon)
    val h = sin(dLat / 2).pow(2) + cos(lat1) * cos(lat2) * sin(dLon / 2).pow(2)
    return 2 * EARTH_RADIUS_M * asin(sqrt(h))
}

/** Where the lane network has loose ends, for the map editors. */
fun deadEnds(stations: List<Station>, lanes: List<Lane>): List<Station> {
    val degree = mutableMapOf<String, Int>()
    for (lane in lanes) {
        degree.merge(lane.from, 1, Int::plus)
        degree.merge(lane.to, 1, Int::plus)
    }
    return stations.filter { (degree[it.id] ?: 0) < 2 }
}
