#include <math.h>
#include <stdlib.h>

/* Numbers that are computed and printed, and decide nothing. */

struct sample {
    int n;
    double mean;
    float weight;
};

static double total;
static const double rate = 1.0 / 3;

static double half(double x)
{
    return x * 0.5;
}

static void add(struct sample *s, float x)
{
    s->n++;
    s->mean += (x - s->mean) / s->n;
    s->weight = -x;
}

static void test(void)
{
    struct sample s = {0, 0.0, 1.5f};
    double values[3] = {1, 2.5, 3e2};
    double *copy = malloc(3 * sizeof *copy);
    int evaluated = 0;
    for (int i = 0; i < 3; i++) {
        add(&s, values[i]);
        total += half(values[i]) * rate;
        copy[i] = sqrt(values[i]) + pow(2, i);
    }
    double unset;
    unset = evaluated++ ? 1 : total;
    total = -unset + evaluated++;
    struct sample *none = 0;
    total += none ? none->n : 0.5;
    total += none ? none->mean : evaluated;
    out(s.n);
    out(evaluated);
    out(sizeof(double) * 10 + sizeof s.weight);
    out(sizeof(struct sample));
    out(sizeof(1.0f) + sizeof(1.0f + 1) * 10 + sizeof(1.0f + 1.0) * 100);
    free(copy);
}
