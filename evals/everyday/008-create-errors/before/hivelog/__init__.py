"""Log weight, temperature and humidity of beehives."""

__version__ = "0.3.1"
