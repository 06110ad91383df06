#include "Inventory.h"

#include <algorithm>

bool Inventory::add(const Item& item) {
    if (weight_ + item.weight > capacity_) {
        return false;
    }
    items_.push_back(item);
    weight_ += item.weight;
    return true;
}

bool Inventory::remove(const std::string& name) {
    auto it = std::find_if(items_.begin(), items_.end(),
                           [&](const Item& item) { return item.name == name; });
    if (it == items_.end()) {
        return false;
    }
    weight_ -= it->weight;
    items_.erase(it);
    return true;
}
