#include <stdlib.h>
#include <string.h>

#include "axis.h"
#include "fast.h"
#include "include/tessera_pixels.h"
#include "passes.h"

// MARK: Planes

struct tessera_resampler {
  struct axis *across, *down;
  int is_wide;
  void *result;
  size_t stride, pitch;
  // The last `capacity` rows of the source: row `n` is at place `n % capacity`.
  void *ring;
  int capacity;
  size_t row_bytes;
  const void **rows;
  // A row of the result, still as wide as the source.
  int16_t *between;
  // Rows of the source that were added, and rows of the result that were made, in the order of their
  // place in the source.
  int added, made;
};

// Takes its own references to the axes, either of which may be NULL for want of memory.
static struct tessera_resampler *make(struct axis *across, struct axis *down, int is_wide,
                                      void *result, size_t stride, size_t pitch) {
  struct tessera_resampler *new = across && down ? calloc(1, sizeof *new) : NULL;
  if (!new) return NULL;
  *new = (struct tessera_resampler){.across = tessera_axis_kept(across), .down = tessera_axis_kept(down),
                                    .is_wide = is_wide, .result = result, .stride = stride,
                                    .pitch = pitch};
  new->capacity = down->most;
  new->row_bytes = (size_t)across->plan.source * (is_wide ? 2 : 1);
  new->ring = malloc(new->row_bytes * (size_t)new->capacity);
  new->rows = malloc(sizeof *new->rows * (size_t)new->capacity);
  // Zeros behind weights, up to whole registers, meet what is behind the row.
  new->between = calloc((size_t)across->plan.source + across->room, sizeof *new->between);
  if (new->ring && new->rows && new->between) return new;
  tessera_resampler_free(new);
  return NULL;
}

struct tessera_resampler *tessera_resampler_new(struct tessera_axis across, struct tessera_axis down,
                                                int is_wide, void *result, size_t stride,
                                                size_t pitch) {
  struct axis *horizontal = tessera_axis_of(across), *vertical = tessera_axis_of(down);
  struct tessera_resampler *new = make(horizontal, vertical, is_wide, result, stride, pitch);
  tessera_axis_release(horizontal);
  tessera_axis_release(vertical);
  return new;
}

void *tessera_resampler_row(struct tessera_resampler *resampler) {
  size_t place = (size_t)(resampler->added % resampler->capacity);
  return (char *)resampler->ring + place * resampler->row_bytes;
}

static int is_copy(const struct tessera_resampler *resampler) {
  return resampler->across->is_copy && resampler->down->is_copy;
}

static void make_row(struct tessera_resampler *resampler, int row) {
  struct taps taps = resampler->down->taps[row];
  const int16_t *weights = resampler->down->weights + taps.weights;
  size_t place = (size_t)(taps.first % resampler->capacity);
  for (int tap = 0; tap < taps.count; tap++) {
    resampler->rows[tap] = (const char *)resampler->ring + place * resampler->row_bytes;
    if (++place == (size_t)resampler->capacity) place = 0;
  }
  int width = resampler->across->plan.source;
  size_t target = resampler->stride * (size_t)row;
  if (resampler->is_wide) {
    tessera_add_wide_rows((const int16_t *const *)resampler->rows, weights, taps.count, width,
                  resampler->between);
    tessera_shorten_wide(resampler->between, resampler->across, (int16_t *)resampler->result + target,
                 resampler->pitch);
  } else if (is_copy(resampler)) {
    const uint8_t *samples = resampler->rows[0];
    uint8_t *result = (uint8_t *)resampler->result + target;
    for (int index = 0; index < width; index++) result[(size_t)index * resampler->pitch] = samples[index];
  } else {
    tessera_add_rows((const uint8_t *const *)resampler->rows, weights, taps.count, width,
             resampler->between);
    tessera_shorten(resampler->between, resampler->across, (uint8_t *)resampler->result + target,
            resampler->pitch);
  }
}

void tessera_resampler_add(struct tessera_resampler *resampler) {
  if (resampler->added >= resampler->down->plan.source) return;
  resampler->added++;
  int count = resampler->down->plan.result;
  while (resampler->made < count) {
    int row = resampler->down->plan.step < 0 ? count - 1 - resampler->made : resampler->made;
    struct taps taps = resampler->down->taps[row];
    if (taps.first + taps.count > resampler->added) return;
    make_row(resampler, row);
    resampler->made++;
  }
}

void tessera_resampler_add_row(struct tessera_resampler *resampler, const uint8_t *row) {
  memcpy(tessera_resampler_row(resampler), row, resampler->row_bytes);
  tessera_resampler_add(resampler);
}

void tessera_resampler_free(struct tessera_resampler *resampler) {
  if (!resampler) return;
  tessera_axis_release(resampler->across);
  tessera_axis_release(resampler->down);
  free(resampler->ring);
  free(resampler->rows);
  free(resampler->between);
  free(resampler);
}

// MARK: Images

struct tessera_image_resampler {
  int width, bands, result_width, result_height;
  struct tessera_resampler *planes[4];
  uint8_t *result;
  // With alpha: the result, still multiplied by it.
  int16_t *wide;
};

static int has_alpha(const struct tessera_image_resampler *image) { return image->bands % 2 == 0; }

struct tessera_image_resampler *tessera_image_resampler_new(int width, int height, int bands,
                                                            int result_width, int result_height,
                                                            uint8_t *result) {
  if (bands < 1 || bands > 4) return NULL;
  struct tessera_image_resampler *new = calloc(1, sizeof *new);
  if (!new) return NULL;
  *new = (struct tessera_image_resampler){.width = width, .bands = bands, .result = result,
                                          .result_width = result_width,
                                          .result_height = result_height};
  size_t stride = (size_t)result_width * (size_t)bands;
  int is_wide = has_alpha(new);
  if (is_wide) new->wide = malloc(sizeof *new->wide * stride * (size_t)result_height);
  struct axis *across = tessera_axis_of((struct tessera_axis){width, result_width, 0,
                                                      (double)width / result_width});
  struct axis *down = tessera_axis_of((struct tessera_axis){height, result_height, 0,
                                                    (double)height / result_height});
  int is_complete = !is_wide || new->wide;
  for (int band = 0; is_complete && band < bands; band++) {
    void *target = is_wide ? (void *)(new->wide + band) : (void *)(result + band);
    new->planes[band] = make(across, down, is_wide, target, stride, (size_t)bands);
    is_complete = new->planes[band] != NULL;
  }
  tessera_axis_release(across);
  tessera_axis_release(down);
  if (is_complete) return new;
  for (int band = 0; band < bands; band++) tessera_resampler_free(new->planes[band]);
  free(new->wide);
  free(new);
  return NULL;
}

FAST static void split(const uint8_t *row, int width, int pitch, int band, uint8_t *plane) {
  if (pitch == 1) memcpy(plane, row, (size_t)width);
  else if (pitch == 3)
    for (int index = 0; index < width; index++) plane[index] = row[index * 3 + band];
  else
    for (int index = 0; index < width; index++) plane[index] = row[index * pitch + band];
}

// Colours times alpha; alpha times 255, so that both have the same range.
FAST static void multiply(const uint8_t *row, int width, int bands, int band, int16_t *plane) {
  const int alpha = bands - 1, half = 1 << (WIDE_BITS - 1);
  if (band == alpha)
    for (int index = 0; index < width; index++)
      plane[index] = (int16_t)((row[index * bands + alpha] * 255 + half) >> WIDE_BITS);
  else
    for (int index = 0; index < width; index++)
      plane[index] =
          (int16_t)((row[index * bands + band] * row[index * bands + alpha] + half) >> WIDE_BITS);
}

void tessera_image_resampler_add(struct tessera_image_resampler *image, const uint8_t *row,
                                 int pitch) {
  for (int band = 0; band < image->bands; band++) {
    void *plane = tessera_resampler_row(image->planes[band]);
    if (image->wide) multiply(row, image->width, image->bands, band, plane);
    else split(row, image->width, pitch, band, plane);
    tessera_resampler_add(image->planes[band]);
  }
}

// Colours divided by alpha, rounded to the nearest; 0 where the pixel is fully transparent. Both
// overshoot together, so alpha is cut off only afterwards.
static void divide(const int16_t *wide, size_t pixels, int bands, uint8_t *result) {
  for (size_t pixel = 0; pixel < pixels; pixel++, wide += bands, result += bands) {
    int32_t alpha = wide[bands - 1];
    result[bands - 1] = (uint8_t)clamped((alpha * (1 << WIDE_BITS) + 127) / 255, 0, 255);
    for (int band = 0; band < bands - 1; band++) {
      int32_t colour = wide[band] > 0 && alpha > 0 ? (wide[band] * 255 + alpha / 2) / alpha : 0;
      result[band] = (uint8_t)clamped(colour, 0, 255);
    }
  }
}

void tessera_image_resampler_end(struct tessera_image_resampler *image) {
  if (!image) return;
  for (int band = 0; band < image->bands; band++) tessera_resampler_free(image->planes[band]);
  size_t pixels = (size_t)image->result_width * (size_t)image->result_height;
  if (image->wide) divide(image->wide, pixels, image->bands, image->result);
  free(image->wide);
  free(image);
}
