package io.petrol;

public record Receipt(int pump, double litres, long cents) {
    public String print() {
        return String.format("Pump %d: %.2f l, %d.%02d EUR", pump, litres, cents / 100, cents % 100);
    }
}
