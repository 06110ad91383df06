def daily_gain(weights):
    return {hive: round(kg[-1] - kg[-2], 2) for hive, kg in weights.items()}
