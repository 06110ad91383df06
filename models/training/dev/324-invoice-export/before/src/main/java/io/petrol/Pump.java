package io.petrol;

public class Pump {
    private final int number;
    private double litres;
    private boolean locked = true;

    public Pump(int number) {
        this.number = number;
    }

    public void unlock() {
        locked = false;
        litres = 0;
    }

    public void flow(double amount) {
        if (locked) {
            throw new IllegalStateException("pump " + number + " is locked");
        }
        litres += amount;
    }
}
