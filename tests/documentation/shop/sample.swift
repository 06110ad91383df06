import Foundation

func processItem(_ item: String) -> Bool {
    return item.count > 0
}

for item in ["apple", ""] {
    print(processItem(item))
}
