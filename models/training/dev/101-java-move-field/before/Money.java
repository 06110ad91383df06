package shop.core;

import java.math.BigDecimal;
import java.math.RoundingMode;

public class Money {
    private final BigDecimal amount;
    private final String currency;

    public Money(BigDecimal amount, String currency) {
        this.amount = amount.setScale(2, RoundingMode.HALF_UP);
        this.currency = currency;
    }

    public Money plus(Money other) {
        if (!currency.equals(other.currency)) {
            throw new IllegalArgumentException("mixed currencies");
        }
        return new Money(amount.add(other.amount), currency);
    }

    @Override
    public String toString() {
        return amount + " " + currency;
    }
}
