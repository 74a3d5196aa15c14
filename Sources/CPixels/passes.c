#include "passes.h"

#include "fast.h"

#ifdef WITH_AVX2
#include <immintrin.h>
#define AVX2 __attribute__((target("avx2")))
#endif

// MARK: Down

#ifdef WITH_AVX2
// 32 samples of two rows at a time: products of two neighbours are added by one instruction, so the rows are interleaved.
AVX2 static void add_part(const uint8_t *const *rows, const int16_t *weights, int count, int start,
                          int16_t *result) {
  const __m256i zero = _mm256_setzero_si256();
  __m256i sums[4];
  for (int part = 0; part < 4; part++)
    sums[part] = _mm256_set1_epi32(1 << (WEIGHT_BITS - EXTRA_BITS - 1));
  for (int row = 0; row < count; row += 2) {
    int other = row + 1 < count ? row + 1 : row;
    uint16_t second = other > row ? (uint16_t)weights[other] : 0;
    __m256i pair = _mm256_set1_epi32((int32_t)((uint16_t)weights[row] | (uint32_t)second << 16));
    __m256i a = _mm256_loadu_si256((const void *)(rows[row] + start));
    __m256i b = _mm256_loadu_si256((const void *)(rows[other] + start));
    __m256i low = _mm256_unpacklo_epi8(a, b), high = _mm256_unpackhi_epi8(a, b);
    const __m256i parts[4] = {_mm256_unpacklo_epi8(low, zero), _mm256_unpackhi_epi8(low, zero),
                              _mm256_unpacklo_epi8(high, zero), _mm256_unpackhi_epi8(high, zero)};
    for (int part = 0; part < 4; part++)
      sums[part] = _mm256_add_epi32(sums[part], _mm256_madd_epi16(parts[part], pair));
  }
  for (int part = 0; part < 4; part++)
    sums[part] = _mm256_srai_epi32(sums[part], WEIGHT_BITS - EXTRA_BITS);
  // Each half of a register has the samples of one half of the 32.
  __m256i even = _mm256_packs_epi32(sums[0], sums[1]), odd = _mm256_packs_epi32(sums[2], sums[3]);
  _mm256_storeu_si256((void *)(result + start), _mm256_permute2x128_si256(even, odd, 0x20));
  _mm256_storeu_si256((void *)(result + start + 16), _mm256_permute2x128_si256(even, odd, 0x31));
}

AVX2 static void add_parts(const uint8_t *const *rows, const int16_t *weights, int count, int width,
                           int16_t *result) {
  for (int start = 0; start + PART < width; start += PART) add_part(rows, weights, count, start, result);
  add_part(rows, weights, count, width - PART, result);
}
#endif

FAST static void add_any(const uint8_t *const *rows, const int16_t *weights, int count, int width,
                         int16_t *result) {
  // As many sums as fit into registers.
  for (int start = 0; start < width; start += 2 * PART) {
    int32_t sums[2 * PART];
    int part = width - start < 2 * PART ? width - start : 2 * PART;
    for (int index = 0; index < part; index++) sums[index] = 1 << (WEIGHT_BITS - EXTRA_BITS - 1);
    for (int row = 0; row < count; row++) {
      const uint8_t *samples = rows[row] + start;
      const int32_t weight = weights[row];
      for (int index = 0; index < part; index++) sums[index] += samples[index] * weight;
    }
    for (int index = 0; index < part; index++)
      result[start + index] = (int16_t)(sums[index] >> (WEIGHT_BITS - EXTRA_BITS));
  }
}

void tessera_add_rows(const uint8_t *const *rows, const int16_t *weights, int count, int width,
                      int16_t *result) {
#ifdef WITH_AVX2
  if (width >= PART && __builtin_cpu_supports("avx2"))
    return add_parts(rows, weights, count, width, result);
#endif
  add_any(rows, weights, count, width, result);
}

FAST void tessera_add_wide_rows(const int16_t *const *rows, const int16_t *weights, int count, int width,
                        int16_t *result) {
  for (int start = 0; start < width; start += 2 * PART) {
    int32_t sums[2 * PART];
    int part = width - start < 2 * PART ? width - start : 2 * PART;
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

// MARK: Across

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

#ifdef WITH_AVX2
// The weights of one result in one half of a register, those of the next in the other.
AVX2 static inline __m256i sums_of_two(const int16_t *row, const struct axis *axis, int index) {
  const struct taps one = axis->taps[index], other = axis->taps[index + 1];
  const int16_t *a = row + one.first, *b = row + other.first;
  const int16_t *x = axis->weights + one.weights, *y = axis->weights + other.weights;
  return _mm256_madd_epi16(_mm256_loadu2_m128i((const void *)b, (const void *)a),
                           _mm256_loadu2_m128i((const void *)y, (const void *)x));
}

// The weights of one result, a register at a time: behind them are zeros.
AVX2 static inline __m256i sums_of_one(const int16_t *row, const struct axis *axis, int index) {
  const struct taps taps = axis->taps[index];
  const int16_t *samples = row + taps.first, *weights = axis->weights + taps.weights;
  __m256i sum = _mm256_setzero_si256();
  for (int place = 0; place < taps.count; place += 2 * GROUP)
    sum = _mm256_add_epi32(
        sum, _mm256_madd_epi16(_mm256_loadu_si256((const void *)(samples + place)),
                               _mm256_loadu_si256((const void *)(weights + place))));
  return sum;
}

// Eight sums, in order.
AVX2 static inline __m256i eight_sums(const int16_t *row, const struct axis *axis, int index) {
  if (axis->most <= GROUP) {
    __m256i sums[4];
    for (int pair = 0; pair < 4; pair++) sums[pair] = sums_of_two(row, axis, index + 2 * pair);
    // The low half has the even results, the high half the odd ones.
    __m256i parts = _mm256_hadd_epi32(_mm256_hadd_epi32(sums[0], sums[1]),
                                      _mm256_hadd_epi32(sums[2], sums[3]));
    return _mm256_permutevar8x32_epi32(parts, _mm256_setr_epi32(0, 4, 1, 5, 2, 6, 3, 7));
  }
  __m256i sums[8];
  for (int place = 0; place < 8; place++) sums[place] = sums_of_one(row, axis, index + place);
  __m256i first = _mm256_hadd_epi32(_mm256_hadd_epi32(sums[0], sums[1]),
                                    _mm256_hadd_epi32(sums[2], sums[3]));
  __m256i last = _mm256_hadd_epi32(_mm256_hadd_epi32(sums[4], sums[5]),
                                   _mm256_hadd_epi32(sums[6], sums[7]));
  // Each half of a register has a half of each sum.
  return _mm256_add_epi32(_mm256_permute2x128_si256(first, last, 0x20),
                          _mm256_permute2x128_si256(first, last, 0x31));
}

// Where a sum begins, so that what is cut off afterwards rounds it.
AVX2 static inline __m256i half(void) {
  return _mm256_set1_epi32(1 << (WEIGHT_BITS + EXTRA_BITS - 1));
}

AVX2 static inline void store(uint64_t bytes, uint8_t *result, size_t pitch) {
  for (int place = 0; place < 8; place++, bytes >>= 8)
    result[(size_t)place * pitch] = (uint8_t)bytes;
}

// Eight sums as samples; saturated: from 0 to 255.
AVX2 static inline void store_sums(__m256i sums, uint8_t *result, size_t pitch) {
  sums = _mm256_srai_epi32(sums, WEIGHT_BITS + EXTRA_BITS);
  __m128i words = _mm_packs_epi32(_mm256_castsi256_si128(sums), _mm256_extracti128_si256(sums, 1));
  store((uint64_t)_mm_cvtsi128_si64(_mm_packus_epi16(words, words)), result, pitch);
}

AVX2 static void shorten_eights(const int16_t *row, const struct axis *axis, int start, int end,
                                uint8_t *result, size_t pitch) {
  for (int index = start; index < end; index += 8) {
    if (index + 8 > end) index = end - 8;
    store_sums(_mm256_add_epi32(eight_sums(row, axis, index), half()),
               result + (size_t)index * pitch, pitch);
  }
}

// Two weights, for each pair of samples.
AVX2 static inline __m256i weight_pair(const int16_t *weights) {
  return _mm256_set1_epi32((int32_t)((uint16_t)weights[0] | (uint32_t)(uint16_t)weights[1] << 16));
}

// Of a source of twice the size: the pairs of samples of eight results follow one another.
AVX2 static void shorten_halved(const int16_t *row, const struct axis *axis, uint8_t *result,
                                size_t pitch) {
  const struct taps taps = axis->taps[axis->from];
  const int16_t *weights = axis->weights + taps.weights;
  for (int index = axis->from; index < axis->to; index += 8) {
    if (index + 8 > axis->to) index = axis->to - 8;
    const int16_t *samples = row + taps.first + 2 * (index - axis->from);
    __m256i sums = half();
    for (int tap = 0; tap < taps.count; tap += 2)
      sums = _mm256_add_epi32(sums, _mm256_madd_epi16(_mm256_loadu_si256((const void *)(samples + tap)),
                                                      weight_pair(weights + tap)));
    store_sums(sums, result + (size_t)index * pitch, pitch);
  }
}

// Sixteen of every second result, as words.
AVX2 static inline __m256i sixteen_sums(const int16_t *samples, const int16_t *weights, int count) {
  __m256i low = half(), high = half();
  for (int tap = 0; tap < count; tap += 2) {
    __m256i one = _mm256_loadu_si256((const void *)(samples + tap));
    __m256i next = _mm256_loadu_si256((const void *)(samples + tap + 1));
    __m256i pair = weight_pair(weights + tap);
    low = _mm256_add_epi32(low, _mm256_madd_epi16(_mm256_unpacklo_epi16(one, next), pair));
    high = _mm256_add_epi32(high, _mm256_madd_epi16(_mm256_unpackhi_epi16(one, next), pair));
  }
  return _mm256_packs_epi32(_mm256_srai_epi32(low, WEIGHT_BITS + EXTRA_BITS),
                            _mm256_srai_epi32(high, WEIGHT_BITS + EXTRA_BITS));
}

// Of a source of half the size: the samples of every second result follow one another.
AVX2 static void shorten_doubled(const int16_t *row, const struct axis *axis, uint8_t *result,
                                 size_t pitch) {
  const struct taps even = axis->taps[axis->from], odd = axis->taps[axis->from + 1];
  for (int index = axis->from; index < axis->to; index += PART) {
    if (index + PART > axis->to) index = axis->to - PART;
    int done = (index - axis->from) / 2;
    __m256i evens = sixteen_sums(row + even.first + done, axis->weights + even.weights, even.count);
    __m256i odds = sixteen_sums(row + odd.first + done, axis->weights + odd.weights, odd.count);
    // Bytes of eight even and eight odd results in each half.
    __m256i bytes = _mm256_packus_epi16(evens, odds);
    bytes = _mm256_unpacklo_epi8(bytes, _mm256_srli_si256(bytes, 8));
    uint64_t parts[4];
    _mm256_storeu_si256((void *)parts, bytes);
    for (int part = 0; part < 4; part++)
      store(parts[part], result + (size_t)(index + 8 * part) * pitch, pitch);
  }
}

// The same integers as one by one. At least eight.
AVX2 static void shorten_many(const int16_t *row, const struct axis *axis, uint8_t *result,
                              size_t pitch) {
  const int count = axis->plan.result;
  if (!axis->period) return shorten_eights(row, axis, 0, count, result, pitch);
  // At the edges, eights may reach into the stretch that repeats.
  if (axis->from > 0) shorten_eights(row, axis, 0, axis->from > 8 ? axis->from : 8, result, pitch);
  if (axis->to < count)
    shorten_eights(row, axis, axis->to < count - 8 ? axis->to : count - 8, count, result, pitch);
  if (axis->period == 1) shorten_halved(row, axis, result, pitch);
  else shorten_doubled(row, axis, result, pitch);
}
#endif

void tessera_shorten(const int16_t *row, const struct axis *axis, uint8_t *result, size_t pitch) {
  const int32_t half = 1 << (WEIGHT_BITS + EXTRA_BITS - 1);
#ifdef WITH_AVX2
  if (axis->plan.result >= 8 && __builtin_cpu_supports("avx2"))
    return shorten_many(row, axis, result, pitch);
#endif
  for (int index = 0; index < axis->plan.result; index++, result += pitch) {
    struct taps taps = axis->taps[index];
    int32_t sum = sum_of_products(row + taps.first, axis->weights + taps.weights, taps.groups);
    *result = (uint8_t)clamped((sum + half) >> (WEIGHT_BITS + EXTRA_BITS), 0, 255);
  }
}

void tessera_shorten_wide(const int16_t *row, const struct axis *axis, int16_t *result, size_t pitch) {
  const int32_t half = 1 << (WEIGHT_BITS - 1);
  for (int index = 0; index < axis->plan.result; index++, result += pitch) {
    struct taps taps = axis->taps[index];
    int32_t sum = sum_of_products(row + taps.first, axis->weights + taps.weights, taps.groups);
    *result = (int16_t)((sum + half) >> WEIGHT_BITS);
  }
}
