#define SWAP(a, b) \
    do { int t = 2; a = b; b = t; } \
    while (0)

const char *text = "one \
two";
