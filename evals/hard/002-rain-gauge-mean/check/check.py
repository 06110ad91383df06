import sys

sys.dont_write_bytecode = True

from raingauge.rolling import dry_days, window_mean, window_peak, window_total

rain = [1.0, 0.0, 5.0, 2.0, 8.0, 0.0, 0.0, 4.0, 12.0]
assert window_mean(rain, 0, 7) == 1.0
assert window_mean(rain, 2, 7) == 2.0
assert window_mean(rain, 6, 7) == 16 / 7
assert window_mean(rain, 8, 7) == 31 / 7
assert window_mean(rain, 8, 1) == 12.0
assert window_total(rain, 8, 7) == 31.0
assert window_peak(rain, 8, 3) == 12.0
assert dry_days(rain, 7) == 2
