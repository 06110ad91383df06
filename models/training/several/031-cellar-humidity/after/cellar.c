#include <stdbool.h>
#include <stdio.h>

/* One reading of the wine cellar. */
struct reading {
    long time;
    int shelf;
    double temperature;
    int humidity;
};

/* Append a reading to the file. */
bool write_reading(FILE *file, const struct reading *r)
{
    return fprintf(file, "%ld;%d;%.1f;%d\n", r->time, r->shelf, r->temperature, r->humidity) > 0;
}

/* The next reading of the file; false at its end. */
bool read_reading(FILE *file, struct reading *r)
{
    return fscanf(file, "%ld;%d;%lf;%d\n", &r->time, &r->shelf, &r->temperature, &r->humidity) == 4;
}

/* The warmest temperature of a shelf. */
double warmest(FILE *file, int shelf)
{
    struct reading r;
    double most = -273.15;

    rewind(file);
    while (read_reading(file, &r)) {
        if (r.shelf == shelf && r.temperature > most)
            most = r.temperature;
    }
    return most;
}
