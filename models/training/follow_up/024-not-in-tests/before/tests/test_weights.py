from hives.weights import daily_gain


def fake_id(number):
    return f"hive-{number}"


def test_gain_of_two_days():
    weights = {fake_id(1): [31.2, 31.9], fake_id(2): [28.0, 27.5]}
    assert daily_gain(weights) == {"hive-1": 0.7, "hive-2": -0.5}
