package shop.orders;

public class Order {
    private final long number;
    private OrderStatus status = OrderStatus.OPEN;
    private PaymentStatus payment = PaymentStatus.PENDING;

    public Order(long number) {
        this.number = number;
    }

    public void pay() {
        payment = PaymentStatus.RECEIVED;
        status = OrderStatus.PAID;
    }

    public void ship() {
        if (status != OrderStatus.PAID) {
            throw new IllegalStateException("order " + number + " is not paid");
        }
        status = OrderStatus.SHIPPED;
    }

    public void deliver() {
        status = OrderStatus.DELIVERED;
    }

    public void cancel() {
        status = OrderStatus.CANCELLED;
    }

    public OrderStatus status() {
        return status;
    }
}
