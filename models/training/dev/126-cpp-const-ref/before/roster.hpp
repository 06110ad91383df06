#pragma once
#include <algorithm>
#include <string>
#include <vector>

class Roster {
public:
    void add(std::string name) { names_.push_back(name); }

    bool contains(const std::string& name) const {
        return std::find(names_.begin(), names_.end(), name) != names_.end();
    }

    std::size_t size() const { return names_.size(); }

private:
    std::vector<std::string> names_;
};
