package library;

public record Reader(String name, String address, boolean wantsNoMail, boolean isStaff) {

    public boolean paysFines() {
        return !isStaff;
    }
}
