"""Plain text report of one station."""

from raingauge.rolling import dry_days, window_mean, window_peak, window_total

DAYS = 7


def report_line(date, values, index):
    mean = window_mean(values, index, DAYS)
    shown = "-" if mean is None else f"{mean:.1f}"
    return (
        f"{date}  {values[index]:6.1f} mm"
        f"  mean {shown}"
        f"  total {window_total(values, index, DAYS):.1f}"
        f"  peak {window_peak(values, index, DAYS):.1f}"
        f"  dry {dry_days(values, index)}"
    )


def report(dates, values):
    lines = [report_line(date, values, i) for i, date in enumerate(dates)]
    return "\n".join(lines) + "\n"
