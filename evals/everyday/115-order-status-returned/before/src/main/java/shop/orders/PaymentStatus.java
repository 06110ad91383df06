package shop.orders;

public enum PaymentStatus {
    PENDING("pending"),
    RECEIVED("received"),
    REFUNDED("refunded");

    private final String label;

    PaymentStatus(String label) {
        this.label = label;
    }

    public String label() {
        return label;
    }
}
