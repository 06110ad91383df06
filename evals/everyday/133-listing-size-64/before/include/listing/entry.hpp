#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace listing {

struct FileEntry {
    std::string name;
    std::uint32_t size = 0;
    std::uint32_t mode = 0;
    std::uint64_t modified = 0;
};

struct FolderEntry {
    std::string name;
    std::uint32_t size = 0;
    std::uint32_t mode = 0;
};

struct Page {
    std::vector<FolderEntry> folders;
    std::vector<FileEntry> files;
    std::uint32_t number = 1;
};

}  // namespace listing
