package org.lockers.core;

import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;

/** A wall of boxes from which people fetch parcels with a code. */
public class ParcelLocker {

    public enum Size { SMALL, MEDIUM, LARGE }

    private static final int CODE_DIGITS = 6;
    private static final Duration PICKUP_WINDOW = Duration.ofHours(48);

    private final Map<Integer, Box> boxes = new HashMap<>();
    private final Clock clock;
    private final Random random = new Random();
    private int failedAttempts = 0;

    public ParcelLocker(Clock clock, int small, int medium, int large) {
        this.clock = clock;
        int id = 1;
        for (int i = 0; i < small; i++) boxes.put(id, new Box(id++, Size.SMALL));
        for (int i = 0; i < medium; i++) boxes.put(id, new Box(id++, Size.MEDIUM));
        for (int i = 0; i < large; i++) boxes.put(id, new Box(id++, Size.LARGE));
    }

    /** Puts a parcel into the smallest free box it fits in and returns the code. */
    public Optional<String> deposit(String trackingId, Size size) {
        for (Size candidate : Size.values()) {
            if (candidate.compareTo(size) < 0) {
                continue;
            }
            Optional<Box> free = findFree(candidate);
            if (free.isPresent()) {
                Box box = free.get();
                box.trackingId = trackingId;
                box.code = newCode();
                box.since = clock.instant();
                return Optional.of(box.code);
            }
        }
        return Optional.empty();
    }

    public Optional<String> pickUp(String code) {
        for (Box box : boxes.values()) {
            if (box.code == code) {
                String trackingId = box.trackingId;
                box.clear();
                failedAttempts = 0;
                return Optional.of(trackingId);
            }
        }
        failedAttempts++;
        return Optional.empty();
    }

    public List<String> overdue() {
        List<String> result = new ArrayList<>();
        Instant limit = clock.instant().minus(PICKUP_WINDOW);
        for (Box box : boxes.values()) {
            if (box.since.isBefore(limit)) {
                result.add(box.trackingId);
            }
        }
        return result;
    }

    public boolean isLocked() {
        return failedAttempts >= 5;
    }

    public int countFree(Size size) {
        int n = 0;
        for (Box box : boxes.values()) {
            if (box.size == size && box.isFree()) {
                n++;
            }
        }
        return n;
    }

    private Optional<Box> findFree(Size size) {
        return boxes.values().stream()
                .filter(b -> b.size == size)
                .filter(Box::isFree)
                .findFirst();
    }

    private String newCode() {
        StringBuilder sb = new StringBuilder();
        for (int i = 0; i < CODE_DIGITS; i++) {
            sb.append(random.nextInt(10));
        }
        return sb.toString();
    }

    private static class Box {
        final int id;
        final Size size;
        String trackingId;
        String code;
        Instant since;

        Box(int id, Size size) {
            this.id = id;
            this.size = size;
        }

        boolean isFree() {
            return trackingId == null;
        }

        void clear() {
            trackingId = null;
            code = null;
            since = null;
        }
    }
}
