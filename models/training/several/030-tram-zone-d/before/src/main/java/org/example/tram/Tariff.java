package org.example.tram;

import java.math.BigDecimal;
import java.math.RoundingMode;

/** Fares by zone. */
public final class Tariff {
    private static final BigDecimal HALF = new BigDecimal("0.5");

    private Tariff() {
    }

    public static BigDecimal single(Zone zone) {
        return switch (zone) {
            case A -> new BigDecimal("2.10");
            case B -> new BigDecimal("2.90");
            case C -> new BigDecimal("3.70");
        };
    }

    public static BigDecimal child(Zone zone) {
        return single(zone).multiply(HALF).setScale(1, RoundingMode.UP);
    }
}
