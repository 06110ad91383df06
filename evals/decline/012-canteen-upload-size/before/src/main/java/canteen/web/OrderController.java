package canteen.web;

import canteen.model.Order;
import canteen.service.OrderService;
import org.springframework.http.HttpStatus;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.server.ResponseStatusException;

@RestController
@RequestMapping("/orders")
public class OrderController {

    private static final int MAX_PORTIONS = 25;

    private final OrderService orders;

    public OrderController(OrderService orders) {
        this.orders = orders;
    }

    @PostMapping
    public Order place(@RequestBody Order order) {
        if (order.portions() > MAX_PORTIONS) {
            throw new ResponseStatusException(HttpStatus.BAD_REQUEST, "too many portions");
        }
        return orders.place(order);
    }
}
