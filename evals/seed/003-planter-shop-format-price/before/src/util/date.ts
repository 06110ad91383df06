const fmtDate = new Intl.DateTimeFormat("en-IE", { day: "numeric", month: "short" });

export function deliveryDay(from: Date, workdays: number): string {
  const day = new Date(from);
  let left = workdays;
  while (left > 0) {
    day.setDate(day.getDate() + 1);
    if (day.getDay() !== 0 && day.getDay() !== 6) left -= 1;
  }
  return fmtDate.format(day);
}
