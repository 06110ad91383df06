void spt_debug(const char *fmt, ...);

int main(void) {
    spt_debug("a %s", "word");
    return 0;
}
