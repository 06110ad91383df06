def process_item(item):
    return len(item)
