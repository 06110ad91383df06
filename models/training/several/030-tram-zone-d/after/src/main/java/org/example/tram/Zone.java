package org.example.tram;

/** The zones of the tram, from the middle outwards. */
public enum Zone {
    A("old town"),
    B("suburbs"),
    C("villages"),
    D("airport");

    private final String title;

    Zone(String title) {
        this.title = title;
    }

    public String title() {
        return title;
    }
}
