import sys

from rainlog.gauge import monthly_totals, wettest_day

if __name__ == "__main__":
    for month, amount in monthly_totals(sys.argv[1:]).items():
        print(f"{month}  {amount:6.1f} mm")
    print("wettest day:", wettest_day(sys.argv[1:]))
