#include <string>
#include <vector>

std::string trim(const std::string& s) {
    const auto first = s.find_first_not_of(" \t");
    if (first == std::string::npos) return "";
    return s.substr(first, s.find_last_not_of(" \t") - first + 1);
}

std::string joinNames(const std::vector<std::string>& names, char sep) {
    std::string out;
    for (const auto& n : names) {
        if (!out.empty()) out += sep;
        out += trim(n);
    }
    return out;
}
