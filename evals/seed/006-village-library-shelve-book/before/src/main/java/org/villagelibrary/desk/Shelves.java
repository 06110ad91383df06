package org.villagelibrary.desk;

import java.util.List;
import java.util.Map;
import java.util.TreeMap;

public class Shelves {
    private final TreeMap<String, Shelf> bySignature = new TreeMap<>();
    private final Shelf overflow = new Shelf("overflow");
    private final List<Book> reserved = new java.util.ArrayList<>();

    public Shelf find(String signature) {
        Map.Entry<String, Shelf> entry = bySignature.floorEntry(signature);
        return entry == null ? null : entry.getValue();
    }

    public Shelf overflow() {
        return overflow;
    }

    public List<Book> reservationRack() {
        return reserved;
    }
}
