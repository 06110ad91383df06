package org.example.helpdesk;

import java.time.Duration;
import java.time.Instant;
import java.util.Comparator;
import java.util.List;

/** Decides which ticket is shown first. */
public final class Ranking {

    private Ranking() {
    }

    /** The most pressing ticket first. */
    public static List<Ticket> sorted(List<Ticket> tickets, Instant now) {
        return tickets.stream()
                .sorted(Comparator.comparingInt((Ticket t) -> score(t, now)).reversed())
                .toList();
    }

    static int score(Ticket ticket, Instant now) {
        int score = 10 * severityWeight(ticket.severity());
        score += 5 * planWeight(ticket.plan());
        score += ageWeight(Duration.between(ticket.opened(), now));
        return score;
    }

    static int severityWeight(String severity) {
        switch (severity) {
            case "critical":
                return 8;
            case "major":
                return 4;
            case "minor":
                return 1;
            default:
                return 0;
        }
    }

    static int planWeight(String plan) {
        switch (plan) {
            case "enterprise":
                return 3;
            case "team":
                return 2;
            case "free":
                return 1;
            default:
                return -1;
        }
    }

    static int ageWeight(Duration age) {
        if (age.isNegative()) {
            return -1;
        }
        if (age.toDays() > 7) {
            return 6;
        }
        if (age.toHours() > 24) {
            return 3;
        }
        return 0;
    }
}
