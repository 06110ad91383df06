package shop.pay;

public enum PaymentState {
    /** Nothing has been paid so far. */
    OPEN,
    PAID,
    DECLINED,
    REFUNDED;

    public boolean mayShip() {
        return this == PAID;
    }
}
