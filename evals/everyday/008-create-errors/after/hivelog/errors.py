class SensorError(Exception):
    pass
