package shop.orders;

import java.util.List;

public final class OrderFilter {
    private OrderFilter() {
    }

    public static List<Order> withStatus(List<Order> orders, OrderStatus status) {
        return orders.stream().filter(order -> order.status() == status).toList();
    }
}
