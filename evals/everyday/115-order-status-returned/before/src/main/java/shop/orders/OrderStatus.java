package shop.orders;

public enum OrderStatus {
    OPEN("open"),
    PAID("paid"),
    SHIPPED("on its way"),
    DELIVERED("delivered"),
    CANCELLED("cancelled");

    private final String label;

    OrderStatus(String label) {
        this.label = label;
    }

    public String label() {
        return label;
    }
}
