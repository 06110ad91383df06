package org.parcelo

import java.net.URI
import java.net.http.HttpClient
import java.net.http.HttpRequest
import java.net.http.HttpResponse
import java.time.Duration
import org.slf4j.LoggerFactory

interface Channel {
    val name: String
    fun deliver(to: String, text: String): Boolean
}

class SmsChannel(private val endpoint: String, private val key: String) : Channel {
    override val name = "sms"
    private val client = HttpClient.newBuilder()
        .connectTimeout(Duration.ofSeconds(5))
        .build()

    override fun deliver(to: String, text: String): Boolean {
        val request = HttpRequest.newBuilder(URI.create(endpoint))
            .header("X-Api-Key", key)
            .timeout(Duration.ofSeconds(10))
            .POST(HttpRequest.BodyPublishers.ofString("$to|${text.take(160)}"))
            .build()
        val response = client.send(request, HttpResponse.BodyHandlers.discarding())
        return response.statusCode() in 200..299
    }
}

class NotificationSender(private val channels: List<Channel>) {
    private val log = LoggerFactory.getLogger(NotificationSender::class.java)

    fun notify(parcel: Parcel, phone: String?): Int {
        phone ?: return 0
        val text = textFor(parcel)
        var sent = 0
        for (channel in channels) {
            try {
                if (channel.deliver(phone!!, text)) sent++
            } catch (e: java.io.IOException) {
                log.warn("channel {} failed", channel.name, e)
            }
        }
        return sent
    }

    private fun textFor(parcel: Parcel): String = when (parcel.state) {
        ParcelState.CREATED -> "Your parcel ${parcel.id} is announced."
        ParcelState.PICKED_UP -> "We have your parcel ${parcel.id}."
        ParcelState.IN_DEPOT -> "Your parcel ${parcel.id} reached our depot."
        ParcelState.OUT_FOR_DELIVERY -> "Your parcel ${parcel.id} arrives today."
        ParcelState.DELIVERED -> "Your parcel ${parcel.id} was delivered."
        ParcelState.RETURNED -> "Your parcel ${parcel.id} went back to its sender."
    }
}
