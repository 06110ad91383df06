def process_item(item):
    return len(item)


print(process_item('x'))
