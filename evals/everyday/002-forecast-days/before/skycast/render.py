"""Turn answers of the service into text."""


def as_line(day, precision=1):
    temperature = round(day["temperature"], precision)
    return f"{day['date']}  {temperature:>5}°  {day['summary']}"


def as_table(days, precision=1):
    return "\n".join(as_line(day, precision) for day in days)
