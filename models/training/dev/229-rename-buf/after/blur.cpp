#include <cstdint>
#include <vector>

// Box blur along one row; border pixels are repeated.
void blurRow(std::vector<std::uint8_t>& row, int radius) {
    const int n = static_cast<int>(row.size());
    std::vector<std::uint8_t> scanline(row);
    for (int x = 0; x < n; ++x) {
        int sum = 0;
        for (int k = -radius; k <= radius; ++k) {
            int i = x + k;
            if (i < 0) i = 0;
            if (i >= n) i = n - 1;
            sum += scanline[i];
        }
        row[x] = static_cast<std::uint8_t>(sum / (2 * radius + 1));
    }
    scanline.clear();
}
