package library;

public record Loan(String title, int daysLate, int fineCents, boolean isReserved, Reader reader) {

    public String line() {
        return title + " (" + reader.name() + "): " + daysLate + " days";
    }
}
