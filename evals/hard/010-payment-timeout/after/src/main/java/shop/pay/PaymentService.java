package shop.pay;

import java.io.IOException;
import java.util.concurrent.TimeoutException;

public class PaymentService {

    private final Provider provider;
    private final AuditLog log;

    public PaymentService(Provider provider, AuditLog log) {
        this.provider = provider;
        this.log = log;
    }

    public PaymentState pay(String orderId, long cents, String token) {
        try {
            Receipt receipt = provider.charge(orderId, cents, token);
            log.info(orderId, "receipt " + receipt.number());
            return PaymentState.PAID;
        } catch (DeclinedException e) {
            log.info(orderId, "declined: " + e.getMessage());
            return PaymentState.DECLINED;
        } catch (TimeoutException e) {
            log.warn(orderId, "no answer from the provider");
            return PaymentState.OPEN;
        } catch (IOException e) {
            log.warn(orderId, "connection lost: " + e.getMessage());
            return PaymentState.OPEN;
        }
    }

    public PaymentState refund(String orderId, long cents) {
        try {
            provider.refund(orderId, cents);
            return PaymentState.REFUNDED;
        } catch (TimeoutException | IOException e) {
            log.warn(orderId, "refund failed: " + e.getMessage());
            return PaymentState.PAID;
        }
    }
}
