#include <stdlib.h>
#include <string.h>

#include "fast.h"
#include "include/tessera_pixels.h"

// Filter types of ISO/IEC 15948, clause 9.
enum { NONE, SUB, UP, AVERAGE, PAETH };

FAST static void up(uint8_t *row, const uint8_t *above, size_t length) {
  for (size_t index = 0; index < length; index++) row[index] += above[index];
}

static inline uint8_t paeth(int left, int above, int corner) {
  int to_left = abs(above - corner), to_above = abs(left - corner);
  int to_corner = abs(left + above - 2 * corner);
  int nearest = to_left <= to_above ? left : above, distance = to_left <= to_above ? to_left : to_above;
  return (uint8_t)(distance <= to_corner ? nearest : corner);
}

// The samples of a pixel depend on the pixel before, so that all bands of one pixel are computed at a
// time. The number of bands is a constant wherever this is called.
static inline __attribute__((always_inline)) void undo(uint8_t *row, const uint8_t *above, int filter,
                                                       size_t length, size_t bands) {
  uint8_t left[4] = {0}, corner[4] = {0};
  for (size_t start = 0; start + bands <= length; start += bands) {
    for (size_t band = 0; band < bands; band++) {
      uint8_t over = above[start + band];
      uint8_t guess = filter == SUB       ? left[band]
                      : filter == AVERAGE ? (uint8_t)((left[band] + over) / 2)
                                          : paeth(left[band], over, corner[band]);
      left[band] = row[start + band] += guess;
      corner[band] = over;
    }
  }
}

static inline __attribute__((always_inline)) void undo_any(uint8_t *row, const uint8_t *above,
                                                           int filter, size_t length, size_t bands) {
  if (filter == SUB) undo(row, above, SUB, length, bands);
  else if (filter == AVERAGE) undo(row, above, AVERAGE, length, bands);
  else undo(row, above, PAETH, length, bands);
}

int tessera_png_undo_filters(uint8_t *rows, size_t length, size_t count, int bands) {
  uint8_t *first = calloc(1, length ? length : 1);
  if (!first) return -1;
  const uint8_t *above = first;
  int is_valid = 1;
  for (size_t row = 0; row < count && is_valid; row++) {
    int filter = rows[0];
    uint8_t *samples = rows + 1;
    if (filter > PAETH) is_valid = 0;
    else if (filter == UP) up(samples, above, length);
    else if (filter != NONE) {
      switch (bands) {
      case 1: undo_any(samples, above, filter, length, 1); break;
      case 2: undo_any(samples, above, filter, length, 2); break;
      case 3: undo_any(samples, above, filter, length, 3); break;
      default: undo_any(samples, above, filter, length, 4);
      }
    }
    above = samples;
    rows += length + 1;
  }
  free(first);
  return is_valid ? 0 : -1;
}

int tessera_png_expand(const uint8_t *indices, int depth, size_t count, const uint8_t *palette,
                       int colours, int bands, uint8_t *result) {
  const int per_byte = 8 / depth, mask = (1 << depth) - 1;
  for (size_t index = 0; index < count; index++, result += bands) {
    int shift = 8 - depth * (int)(index % (size_t)per_byte + 1);
    int colour = (indices[index / (size_t)per_byte] >> shift) & mask;
    if (colour >= colours) return -1;
    memcpy(result, palette + 4 * colour, (size_t)bands);
  }
  return 0;
}

FAST int tessera_is_opaque(const uint8_t *row, size_t pixels, int bands) {
  uint8_t all = 255;
  const uint8_t *alpha = row + bands - 1;
  if (bands == 4)
    for (size_t index = 0; index < pixels; index++) all &= alpha[4 * index];
  else
    for (size_t index = 0; index < pixels; index++) all &= alpha[2 * index];
  return all == 255;
}
