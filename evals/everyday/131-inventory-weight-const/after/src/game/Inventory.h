#pragma once

#include <string>
#include <vector>

struct Item {
    std::string name;
    int weight = 1;
};

class Inventory {
public:
    explicit Inventory(int capacity) : capacity_(capacity) {}

    bool add(const Item& item);
    bool remove(const std::string& name);

    int capacity() const { return capacity_; }
    int totalWeight() const { return weight_; }
    bool empty() const { return items_.empty(); }
    std::vector<Item>& items() { return items_; }

private:
    std::vector<Item> items_;
    int capacity_;
    int weight_ = 0;
};
