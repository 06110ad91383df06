package library;

import java.util.ArrayList;
import java.util.List;

public final class Reminders {

    private static final int LATE_DAYS = 14;
    private static final int HIGH_FINE_CENTS = 500;

    private Reminders() {
    }

    /** The loans whose readers are to be reminded today. */
    public static List<Loan> due(List<Loan> loans) {
        List<Loan> result = new ArrayList<>();
        for (Loan loan : loans) {
            if (!loan.reader().wantsNoMail() && (loan.daysLate() > LATE_DAYS || loan.fineCents() > HIGH_FINE_CENTS)) {
                result.add(loan);
            }
        }
        return result;
    }

    /** The loans that are shown in red at the desk. */
    public static List<Loan> marked(List<Loan> loans) {
        List<Loan> result = new ArrayList<>();
        for (Loan loan : loans) {
            if (loan.daysLate() > 0 || loan.isReserved()) {
                result.add(loan);
            }
        }
        return result;
    }
}
