#pragma once
#include "axis.h"

// The two passes of the resampler: rows into one, then that row into fewer or more samples. 8-bit samples have six
// more bits in between, and a sign because the kernel overshoots. Wide samples are colours times alpha, in 14 bits for
// the same reason.
enum { EXTRA_BITS = 6, WIDE_BITS = 2 };

// One row of the result, still as wide as the source, from `count` rows of 8-bit samples.
void tessera_add_rows(const uint8_t *const *rows, const int16_t *weights, int count, int width,
              int16_t *result);
void tessera_add_wide_rows(const int16_t *const *rows, const int16_t *weights, int count, int width,
                   int16_t *result);

// The samples of one row of the result, each `pitch` samples from the one before. Behind the row there must be as much
// room as one sample of the result has for its weights.
void tessera_shorten(const int16_t *row, const struct axis *axis, uint8_t *result, size_t pitch);
void tessera_shorten_wide(const int16_t *row, const struct axis *axis, int16_t *result, size_t pitch);
