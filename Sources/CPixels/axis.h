#pragma once
#include <stddef.h>
#include <stdint.h>

#include "include/tessera_pixels.h"

enum { WEIGHT_BITS = 14, ONE = 1 << WEIGHT_BITS };
// Weights of one sample are followed by zeros up to a multiple of this many.
enum { GROUP = 8 };
// Samples that the passes make at a time where they have wide registers. What is left of a row is made with those before
// it, once more: a stretch of weights that repeat must not be shorter.
enum { PART = 32 };

// The samples of the source that one sample of the result is made of.
struct taps {
  int first, count, groups;
  size_t weights;
};

// Where the samples of a result lie, with their weights. Shared by the planes of an image, and by images of one size.
struct axis {
  int users;
  struct tessera_axis plan;
  struct taps *taps;
  int16_t *weights;
  // The most taps of any sample, and the room for the weights of each: a multiple of two groups.
  int most;
  size_t room;
  // Whether each sample of the result is that of the source.
  int is_copy;
  // Where the weights repeat: those of each sample (a source of twice the size) or of every second one (half the size).
  // 0 if nowhere.
  int period, from, to;
};

// Returns NULL if there is no memory.
struct axis *tessera_axis_of(struct tessera_axis plan);
// Another reference to it.
struct axis *tessera_axis_kept(struct axis *axis);
// The axis may be NULL.
void tessera_axis_release(struct axis *axis);

static inline int clamped(int value, int least, int most) {
  return value < least ? least : value > most ? most : value;
}
