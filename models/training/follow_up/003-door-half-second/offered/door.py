import time

import RPi.GPIO as GPIO

COIL = 17
LED = 27


def setup():
    GPIO.setmode(GPIO.BCM)
    GPIO.setup([COIL, LED], GPIO.OUT)


def lock():
    GPIO.output(COIL, GPIO.LOW)
    time.sleep(2)
    GPIO.output(LED, GPIO.HIGH)


def unlock():
    GPIO.output(COIL, GPIO.HIGH)
    time.sleep(0.5)
    GPIO.output(LED, GPIO.LOW)
