import Foundation

func processItem(_ item: String) -> Bool {
    print("Processing item")
    return item.count > 0
}

func run(items: [String]) {
    for item in items {
        if !processItem(item) {
            print("failed")
        }
    }
}
