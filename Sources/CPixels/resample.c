#include <math.h>
#include <stdlib.h>
#include <string.h>

#if defined(__x86_64__) && defined(__linux__)
#include <immintrin.h>
#endif

#include "fast.h"
#include "include/tessera_pixels.h"

enum { LOBES = 3, WEIGHT_BITS = 14, ONE = 1 << WEIGHT_BITS };
// Between the two passes, 8-bit samples have six more bits, and a sign because the kernel overshoots.
enum { EXTRA_BITS = 6 };
// Wide samples are colours times alpha, in 14 bits for the same reason.
enum { WIDE_BITS = 2 };
// Weights of one sample are followed by zeros up to a multiple of this many.
enum { GROUP = 8 };

// MARK: Weights

// The samples of the source that one sample of the result is made of.
struct taps {
  int first, count, groups;
  size_t weights;
};

// Shared by the planes of an image.
struct axis {
  int users;
  struct tessera_axis plan;
  struct taps *taps;
  int16_t *weights;
  // The most taps of any sample, and the room for the weights of each.
  int most;
  size_t room;
};

static size_t grouped(size_t count) { return (count + GROUP - 1) / GROUP * GROUP; }

// sinc(x) sinc(x / 3), with sin(3a) = 3 sin a - 4 sin^3 a: most of the time goes into sines.
static double lanczos(double x) {
  if (x == 0) return 1;
  if (fabs(x) >= LOBES) return 0;
  double angle = M_PI / LOBES * x, sine = sin(angle);
  return sine * sine * (3 - 4 * sine * sine) / (LOBES * angle * angle);
}

static int clamped(int value, int least, int most) {
  return value < least ? least : value > most ? most : value;
}

// Weights of the samples around `centre`. The kernel is cut off at the edges of the source, and the
// weights add up to ONE exactly.
//
// - shares: room for the weights before they are rounded.
static struct taps weigh(const struct tessera_axis *plan, double centre, double scale,
                         double *shares, int16_t *weights) {
  int first = clamped((int)ceil(centre - LOBES * scale - 0.5), 0, plan->source - 1);
  int last = clamped((int)floor(centre + LOBES * scale - 0.5), first, plan->source - 1);
  int count = last - first + 1;
  double sum = 0;
  for (int tap = 0; tap < count; tap++)
    sum += shares[tap] = lanczos((first + tap + 0.5 - centre) / scale);
  int left = ONE, largest = 0;
  for (int tap = 0; tap < count; tap++) {
    weights[tap] = (int16_t)lrint(sum > 0 ? shares[tap] / sum * ONE : (double)ONE / count);
    left -= weights[tap];
    if (weights[tap] > weights[largest]) largest = tap;
  }
  weights[largest] += (int16_t)left;
  // Weights of nothing cost time.
  while (count > 1 && weights[count - 1] == 0) count--;
  int skipped = 0;
  while (skipped < count - 1 && weights[skipped] == 0) skipped++;
  count -= skipped;
  memmove(weights, weights + skipped, sizeof *weights * (size_t)count);
  memset(weights + count, 0, sizeof *weights * (size_t)skipped);
  return (struct taps){.first = first + skipped, .count = count};
}

static void release(struct axis *axis) {
  if (!axis || --axis->users) return;
  free(axis->taps);
  free(axis->weights);
  free(axis);
}

static struct axis *prepare(struct tessera_axis plan) {
  double scale = fmax(1, fabs(plan.step));
  size_t room = grouped((size_t)(2 * LOBES * scale) + 3);
  struct axis *axis = calloc(1, sizeof *axis);
  double *shares = malloc(sizeof *shares * room);
  if (!axis || !shares) goto none;
  axis->users = 1;
  axis->plan = plan;
  axis->room = room;
  axis->taps = malloc(sizeof *axis->taps * (size_t)plan.result);
  axis->weights = calloc(room * (size_t)plan.result, sizeof *axis->weights);
  if (!axis->taps || !axis->weights) goto none;
  for (int index = 0; index < plan.result; index++) {
    size_t place = room * (size_t)index;
    struct taps taps =
        weigh(&plan, plan.start + (index + 0.5) * plan.step, scale, shares, axis->weights + place);
    taps.weights = place;
    taps.groups = (int)(grouped((size_t)taps.count) / GROUP);
    if (taps.count > axis->most) axis->most = taps.count;
    axis->taps[index] = taps;
  }
  free(shares);
  return axis;
none:
  free(shares);
  if (axis) axis->users = 1;
  release(axis);
  return NULL;
}

// MARK: The two passes

// One row of the result, still as wide as the source, from `count` rows of 8-bit samples.
FAST static void add_rows(const uint8_t *const *rows, const int16_t *weights, int count, int width,
                          int16_t *result) {
  // As many sums as fit into registers.
  enum { PART = 64 };
  int start = 0;
  for (; start + PART <= width; start += PART) {
    int32_t sums[PART];
    for (int index = 0; index < PART; index++) sums[index] = 1 << (WEIGHT_BITS - EXTRA_BITS - 1);
    for (int row = 0; row < count; row++) {
      const uint8_t *samples = rows[row] + start;
      const int32_t weight = weights[row];
      for (int index = 0; index < PART; index++) sums[index] += samples[index] * weight;
    }
    for (int index = 0; index < PART; index++)
      result[start + index] = (int16_t)(sums[index] >> (WEIGHT_BITS - EXTRA_BITS));
  }
  for (; start < width; start++) {
    int32_t sum = 1 << (WEIGHT_BITS - EXTRA_BITS - 1);
    for (int row = 0; row < count; row++) sum += rows[row][start] * weights[row];
    result[start] = (int16_t)(sum >> (WEIGHT_BITS - EXTRA_BITS));
  }
}

FAST static void add_wide_rows(const int16_t *const *rows, const int16_t *weights, int count,
                               int width, int16_t *result) {
  enum { PART = 64 };
  for (int start = 0; start < width; start += PART) {
    int32_t sums[PART];
    int part = width - start < PART ? width - start : PART;
    for (int index = 0; index < part; index++) sums[index] = 1 << (WEIGHT_BITS - 1);
    for (int row = 0; row < count; row++) {
      const int16_t *samples = rows[row] + start;
      const int32_t weight = weights[row];
      for (int index = 0; index < part; index++) sums[index] += samples[index] * weight;
    }
    for (int index = 0; index < part; index++)
      result[start + index] = (int16_t)(sums[index] >> WEIGHT_BITS);
  }
}

// The sum of the products of `groups` groups.
static inline int32_t sum_of_products(const int16_t *samples, const int16_t *weights, int groups) {
#ifdef __SSE2__
  typedef int16_t eight __attribute__((vector_size(16), aligned(2)));
  typedef int32_t four __attribute__((vector_size(16)));
  four sums = {0};
  for (int group = 0; group < groups; group++)
    sums += (four)__builtin_ia32_pmaddwd128(*(const eight *)(samples + group * GROUP),
                                            *(const eight *)(weights + group * GROUP));
  return sums[0] + sums[1] + sums[2] + sums[3];
#else
  int32_t sum = 0;
  for (int index = 0; index < groups * GROUP; index++) sum += samples[index] * weights[index];
  return sum;
#endif
}

#if defined(__x86_64__) && defined(__linux__)
// The sums of four results at a time, in registers of twice the width: the same integers. Returns how many were made.
__attribute__((target("avx2"))) static int shorten_fours(const int16_t *row, const struct axis *axis,
                                                         uint8_t *result, size_t pitch) {
  const int32_t half = 1 << (WEIGHT_BITS + EXTRA_BITS - 1);
  int index = 0;
  for (; index + 4 <= axis->plan.result; index += 4, result += 4 * pitch) {
    const struct taps *taps = axis->taps + index;
    __m256i sums[2];
    for (int pair = 0; pair < 2; pair++) {
      const struct taps one = taps[2 * pair], other = taps[2 * pair + 1];
      const int16_t *a = row + one.first, *b = row + other.first;
      const int16_t *x = axis->weights + one.weights, *y = axis->weights + other.weights;
      // Behind the weights are zeros, and behind the row there is room for as many samples.
      int groups = one.groups > other.groups ? one.groups : other.groups;
      __m256i sum = _mm256_setzero_si256();
      for (int place = 0; place < groups * GROUP; place += GROUP)
        sum = _mm256_add_epi32(
            sum, _mm256_madd_epi16(_mm256_loadu2_m128i((const void *)(b + place), (const void *)(a + place)),
                                   _mm256_loadu2_m128i((const void *)(y + place), (const void *)(x + place))));
      sums[pair] = sum;
    }
    // The low half has the parts of the even results, the high half those of the odd ones.
    __m256i parts = _mm256_hadd_epi32(sums[0], sums[1]);
    parts = _mm256_hadd_epi32(parts, parts);
    const int32_t made[4] = {_mm256_extract_epi32(parts, 0), _mm256_extract_epi32(parts, 4),
                             _mm256_extract_epi32(parts, 1), _mm256_extract_epi32(parts, 5)};
    for (int place = 0; place < 4; place++)
      result[(size_t)place * pitch] =
          (uint8_t)clamped((made[place] + half) >> (WEIGHT_BITS + EXTRA_BITS), 0, 255);
  }
  return index;
}
#endif

static void shorten(const int16_t *row, const struct axis *axis, uint8_t *result, size_t pitch) {
  const int32_t half = 1 << (WEIGHT_BITS + EXTRA_BITS - 1);
  int index = 0;
#if defined(__x86_64__) && defined(__linux__)
  if (__builtin_cpu_supports("avx2")) index = shorten_fours(row, axis, result, pitch);
  result += (size_t)index * pitch;
#endif
  for (; index < axis->plan.result; index++, result += pitch) {
    struct taps taps = axis->taps[index];
    int32_t sum = sum_of_products(row + taps.first, axis->weights + taps.weights, taps.groups);
    *result = (uint8_t)clamped((sum + half) >> (WEIGHT_BITS + EXTRA_BITS), 0, 255);
  }
}

static void shorten_wide(const int16_t *row, const struct axis *axis, int16_t *result, size_t pitch) {
  const int32_t half = 1 << (WEIGHT_BITS - 1);
  for (int index = 0; index < axis->plan.result; index++, result += pitch) {
    struct taps taps = axis->taps[index];
    int32_t sum = sum_of_products(row + taps.first, axis->weights + taps.weights, taps.groups);
    *result = (int16_t)((sum + half) >> WEIGHT_BITS);
  }
}

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
  *new = (struct tessera_resampler){.across = across, .down = down, .is_wide = is_wide,
                                    .result = result, .stride = stride, .pitch = pitch};
  across->users++;
  down->users++;
  new->capacity = down->most;
  new->row_bytes = (size_t)across->plan.source * (is_wide ? 2 : 1);
  new->ring = malloc(new->row_bytes * (size_t)new->capacity);
  new->rows = malloc(sizeof *new->rows * (size_t)new->capacity);
  // Zeros behind weights, as many as a neighbour has weights, meet what is behind the row.
  new->between = calloc((size_t)across->plan.source + across->room, sizeof *new->between);
  if (new->ring && new->rows && new->between) return new;
  tessera_resampler_free(new);
  return NULL;
}

struct tessera_resampler *tessera_resampler_new(struct tessera_axis across, struct tessera_axis down,
                                                int is_wide, void *result, size_t stride,
                                                size_t pitch) {
  struct axis *horizontal = prepare(across), *vertical = prepare(down);
  struct tessera_resampler *new = make(horizontal, vertical, is_wide, result, stride, pitch);
  release(horizontal);
  release(vertical);
  return new;
}

void *tessera_resampler_row(struct tessera_resampler *resampler) {
  size_t place = (size_t)(resampler->added % resampler->capacity);
  return (char *)resampler->ring + place * resampler->row_bytes;
}

static void make_row(struct tessera_resampler *resampler, int row) {
  struct taps taps = resampler->down->taps[row];
  const int16_t *weights = resampler->down->weights + taps.weights;
  for (int tap = 0; tap < taps.count; tap++) {
    size_t place = (size_t)((taps.first + tap) % resampler->capacity);
    resampler->rows[tap] = (const char *)resampler->ring + place * resampler->row_bytes;
  }
  int width = resampler->across->plan.source;
  size_t target = resampler->stride * (size_t)row;
  if (resampler->is_wide) {
    add_wide_rows((const int16_t *const *)resampler->rows, weights, taps.count, width,
                  resampler->between);
    shorten_wide(resampler->between, resampler->across, (int16_t *)resampler->result + target,
                 resampler->pitch);
  } else {
    add_rows((const uint8_t *const *)resampler->rows, weights, taps.count, width,
             resampler->between);
    shorten(resampler->between, resampler->across, (uint8_t *)resampler->result + target,
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
  release(resampler->across);
  release(resampler->down);
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
  struct axis *across = prepare((struct tessera_axis){width, result_width, 0,
                                                      (double)width / result_width});
  struct axis *down = prepare((struct tessera_axis){height, result_height, 0,
                                                    (double)height / result_height});
  int is_complete = !is_wide || new->wide;
  for (int band = 0; is_complete && band < bands; band++) {
    void *target = is_wide ? (void *)(new->wide + band) : (void *)(result + band);
    new->planes[band] = make(across, down, is_wide, target, stride, (size_t)bands);
    is_complete = new->planes[band] != NULL;
  }
  release(across);
  release(down);
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
