abstract class Boat {
    protected final int seats;

    Boat(int seats) {
        this.seats = seats;
    }

    abstract String describe();
}

class Rowboat extends Boat {
    Rowboat() {
        super(4);
    }

    @Override
    String describe() {
        return "rowing boat for " + seats;
    }
}

class Kayak extends Boat {
    Kayak(boolean tandem) {
        super(tandem ? 2 : 1);
    }

    @Override
    String describe() {
        return seats == 2 ? "tandem kayak" : "kayak";
    }
}
