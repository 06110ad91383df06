package ch.hilltop.payroll;

import java.io.IOException;
import java.io.Writer;
import java.math.BigDecimal;
import java.math.RoundingMode;
import java.time.DayOfWeek;
import java.time.LocalDate;
import java.time.YearMonth;
import java.time.format.DateTimeFormatter;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.EnumMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

public final class PaymentExport {
    private static final DateTimeFormatter DAY = DateTimeFormatter.ofPattern("yyyy-MM-dd");
    private static final BigDecimal FIVE_CENTS = new BigDecimal("0.05");
    private static final BigDecimal NIGHT_RATE = new BigDecimal("0.25");
    private static final BigDecimal SUNDAY_RATE = new BigDecimal("0.50");
    private static final BigDecimal MEAL_ALLOWANCE = new BigDecimal("14.50");
    private static final int LINE_LENGTH = 35;
    private static final int MAX_REFERENCE = 27;

    public enum Part {
        BASE, NIGHT, SUNDAY, MEALS, PENSION, INSURANCE, ADVANCE
    }

    public record Employee(String number, String name, String iban, BigDecimal hourly, int age, boolean external) {
    }

    public record Shift(Employee employee, LocalDate day, int startHour, int hours) {
    }

    public record Advance(Employee employee, BigDecimal amount, LocalDate paidOn) {
    }

    public record Payment(Employee employee, Map<Part, BigDecimal> parts, BigDecimal net) {
    }

    private final String companyIban;
    private final String companyName;
    private final Holidays holidays;
    private final List<String> warnings = new ArrayList<>();

    public PaymentExport(String companyIban, String companyName, Holidays holidays) {
        this.companyIban = checkIban(companyIban);
        this.companyName = companyName;
        this.holidays = holidays;
    }

    public List<String> warnings() {
        return List.copyOf(warnings);
    }

    public List<Payment> collect(YearMonth month, List<Shift> shifts, List<Advance> advances) {
        List<Employee> people = shifts.stream()
                .map(Shift::employee)
                .distinct()
                .sorted(Comparator.comparing(Employee::number))
                .toList();
        List<Payment> payments = new ArrayList<>();
        for (Employee person : people) {
            Map<Part, BigDecimal> parts = new EnumMap<>(Part.class);
            for (Shift shift : shifts) {
                if (shift.employee().equals(person) && YearMonth.from(shift.day()).equals(month)) {
                    addShift(parts, shift);
                }
            }
            if (parts.isEmpty()) {
                continue;
            }
            subtractContributions(parts, person);
            subtractAdvances(parts, person, month, advances);
            payments.add(new Payment(person, parts, net(parts, person)));
        }
        return payments;
    }

    private void addShift(Map<Part, BigDecimal> parts, Shift shift) {
        BigDecimal hourly = shift.employee().hourly();
        BigDecimal base = hourly.multiply(BigDecimal.valueOf(shift.hours()));
        parts.merge(Part.BASE, base, BigDecimal::add);

        int night = nightHours(shift);
        if (night > 0) {
            BigDecimal extra = hourly.multiply(NIGHT_RATE).multiply(BigDecimal.valueOf(night));
            parts.merge(Part.NIGHT, extra, BigDecimal::add);
        }
        if (isSundayOrHoliday(shift.day())) {
            parts.merge(Part.SUNDAY, base.multiply(SUNDAY_RATE), BigDecimal::add);
        }
        if (shift.hours() >= 6 && !shift.employee().external()) {
            parts.merge(Part.MEALS, MEAL_ALLOWANCE, BigDecimal::add);
        }
    }

    // From 23 to 6 o'clock, also when the shift goes past midnight.
    private int nightHours(Shift shift) {
        int count = 0;
        for (int i = 0; i < shift.hours(); i++) {
            int hour = (shift.startHour() + i) % 24;
            if (hour >= 23 || hour < 6) {
                count++;
            }
        }
        return count;
    }

    private boolean isSundayOrHoliday(LocalDate day) {
        return day.getDayOfWeek() == DayOfWeek.SUNDAY || holidays.contains(day);
    }

    private void subtractContributions(Map<Part, BigDecimal> parts, Employee person) {
        if (person.external()) {
            return;
        }
        BigDecimal gross = gross(parts);
        parts.put(Part.INSURANCE, roundToCent(gross.multiply(new BigDecimal("0.0640"))).negate());
        parts.put(Part.PENSION, roundToCent(gross.multiply(pensionRate(person.age()))).negate());
    }

    private BigDecimal pensionRate(int age) {
        if (age < 25) {
            return BigDecimal.ZERO;
        }
        if (age < 35) {
            return new BigDecimal("0.035");
        }
        if (age < 45) {
            return new BigDecimal("0.050");
        }
        if (age < 55) {
            return new BigDecimal("0.075");
        }
        return new BigDecimal("0.090");
    }

    private void subtractAdvances(Map<Part, BigDecimal> parts, Employee person, YearMonth month, List<Advance> advances) {
        BigDecimal sum = BigDecimal.ZERO;
        for (Advance advance : advances) {
            if (advance.employee().equals(person) && YearMonth.from(advance.paidOn()).equals(month)) {
                sum = sum.add(advance.amount());
            }
        }
        if (sum.signum() == 0) {
            return;
        }
        BigDecimal available = gross(parts);
        if (sum.compareTo(available) > 0) {
            warnings.add(person.number() + ": advance of " + sum + " is more than the pay");
            sum = available;
        }
        parts.put(Part.ADVANCE, sum.negate());
    }

    private BigDecimal gross(Map<Part, BigDecimal> parts) {
        return parts.values().stream()
                .filter(value -> value.signum() > 0)
                .reduce(BigDecimal.ZERO, BigDecimal::add);
    }

    private BigDecimal net(Map<Part, BigDecimal> parts, Employee person) {
        BigDecimal sum = parts.values().stream().reduce(BigDecimal.ZERO, BigDecimal::add);
        if (sum.signum() < 0) {
            warnings.add(person.number() + ": nothing left to pay");
            return BigDecimal.ZERO;
        }
        return roundToFive(sum);
    }

    // The social insurance wants every cent.
    private static BigDecimal roundToCent(BigDecimal amount) {
        return amount.setScale(2, RoundingMode.HALF_UP);
    }

    // The bank rejects single cents.
    private static BigDecimal roundToFive(BigDecimal amount) {
        return amount.divide(FIVE_CENTS, 0, RoundingMode.HALF_UP).multiply(FIVE_CENTS);
    }

    public void write(Writer out, YearMonth month, LocalDate payDay, List<Payment> payments) throws IOException {
        Set<String> seen = new HashSet<>();
        out.write(header(payDay, payments));
        for (Payment payment : payments) {
            Employee person = payment.employee();
            if (payment.net().signum() == 0) {
                continue;
            }
            if (!seen.add(person.number())) {
                throw new IllegalArgumentException("two payments for " + person.number());
            }
            out.write(line("PAY", checkIban(person.iban()), amount(payment.net())));
            out.write(line("TO", shorten(ascii(person.name()), LINE_LENGTH), ""));
            out.write(line("REF", reference(month, person), ""));
        }
        out.write(footer(payments));
        out.flush();
    }

    private String header(LocalDate payDay, List<Payment> payments) {
        return line("HEAD", companyIban, shorten(ascii(companyName), LINE_LENGTH))
                + line("DATE", bankingDay(payDay).format(DAY), String.valueOf(payments.size()));
    }

    private String footer(List<Payment> payments) {
        BigDecimal total = payments.stream()
                .map(Payment::net)
                .reduce(BigDecimal.ZERO, BigDecimal::add);
        return line("TOTAL", amount(total), "");
    }

    // Never on a weekend, the file would be refused.
    private LocalDate bankingDay(LocalDate day) {
        LocalDate result = day;
        while (result.getDayOfWeek() == DayOfWeek.SATURDAY || isSundayOrHoliday(result)) {
            result = result.minusDays(1);
        }
        return result;
    }

    private static String line(String tag, String first, String second) {
        StringBuilder text = new StringBuilder(tag).append('|').append(first);
        if (!second.isEmpty()) {
            text.append('|').append(second);
        }
        return text.append("\r\n").toString();
    }

    private static String amount(BigDecimal value) {
        return value.setScale(2, RoundingMode.UNNECESSARY).toPlainString();
    }

    private static String reference(YearMonth month, Employee person) {
        String text = "PAY " + month + " " + person.number();
        return shorten(text, MAX_REFERENCE);
    }

    private static String shorten(String text, int length) {
        return text.length() <= length ? text : text.substring(0, length).strip();
    }

    private static String ascii(String text) {
        String plain = text
                .replace("ä", "ae")
                .replace("ö", "oe")
                .replace("ü", "ue")
                .replace("é", "e")
                .replace("è", "e")
                .replace("à", "a")
                .replace("ç", "c");
        return plain.replaceAll("[^A-Za-z0-9 .,'/-]", " ").replaceAll(" +", " ").strip();
    }

    private static String checkIban(String iban) {
        String compact = iban.replace(" ", "").toUpperCase();
        if (compact.length() < 15 || compact.length() > 34) {
            throw new IllegalArgumentException("wrong length: " + iban);
        }
        String moved = compact.substring(4) + compact.substring(0, 4);
        int rest = 0;
        for (char c : moved.toCharArray()) {
            int value = Character.getNumericValue(c);
            rest = (value > 9 ? rest * 100 + value : rest * 10 + value) % 97;
        }
        if (rest != 1) {
            throw new IllegalArgumentException("wrong check digits: " + iban);
        }
        return compact;
    }

    public String summary(List<Payment> payments) {
        StringBuilder text = new StringBuilder();
        for (Payment payment : payments) {
            text.append(String.format("%-8s %-30s %10s%n",
                    payment.employee().number(),
                    shorten(payment.employee().name(), 30),
                    amount(payment.net())));
        }
        for (String warning : warnings) {
            text.append("! ").append(warning).append(System.lineSeparator());
        }
        return text.toString();
    }
}
