"""Fills the tank when it runs low."""

import logging
import time

from pump import hardware, settings

log = logging.getLogger("pump")


def step(conf):
    """One look at the tank; True if the pump ran."""
    level = hardware.level()
    if level >= conf.low:
        log.debug("no work")
        return False
    log.info("level is %.2f, pumping", level)
    hardware.switch(conf.pin, True)
    try:
        while hardware.level() < conf.high:
            time.sleep(0.5)
    finally:
        hardware.switch(conf.pin, False)
    return True


def main():
    conf = settings.load()
    while True:
        step(conf)
        time.sleep(conf.interval)
