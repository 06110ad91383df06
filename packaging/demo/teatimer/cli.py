"""The command line: python -m teatimer.cli NAME [MINUTES]"""

import sys
import time

from teatimer.brew import find


def show_left(seconds):
    print(f"{seconds // 60}:{seconds % 60:02d} left", flush=True)


def main(arguments):
    tea = find(arguments[0])
    minutes = float(arguments[1]) if len(arguments) > 1 else tea.minutes
    print(f"{tea.name}: {tea.celsius} degrees, {minutes} minutes")
    for seconds in range(int(minutes * 60), 0, -1):
        show_left(seconds)
        time.sleep(1)
    print("Your tea is ready.")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
