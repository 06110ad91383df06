package org.example.club;

import java.math.BigDecimal;
import java.util.HashMap;
import java.util.Map;
import java.util.logging.Logger;

/** What members have left at the counter for borrowed gear. */
public final class Deposits {
    private final Map<String, BigDecimal> held = new HashMap<>();
    private final Logger log = Logger.getLogger("deposits");
    private final BigDecimal perItem;

    public Deposits(BigDecimal perItem) {
        this.perItem = perItem;
    }

    /** Take the deposit for some items. */
    public BigDecimal take(String member, int items) {
        BigDecimal amount = perItem.multiply(BigDecimal.valueOf(items));
        held.merge(member, amount, BigDecimal::add);
        log.info("took " + amount + " from " + member);
        return amount;
    }

    /** Pay back everything that is held for a member. */
    public BigDecimal payBack(String member) {
        BigDecimal amount = held.remove(member);
        return amount == null ? BigDecimal.ZERO : amount;
    }
}
