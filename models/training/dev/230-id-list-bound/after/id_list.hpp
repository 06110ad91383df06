#pragma once
#include <array>
#include <cstddef>

class IdList {
public:
    bool add(int id) {
        if (count == ids.size()) return false;
        ids[count++] = id;
        return true;
    }

    bool contains(int id) const {
        for (std::size_t i = 0; i < count; ++i) {
            if (ids[i] == id) return true;
        }
        return false;
    }

    std::size_t size() const { return count; }

private:
    std::array<int, 64> ids{};
    std::size_t count = 0;
};
