from tool import process_item

print(process_item('x'))
