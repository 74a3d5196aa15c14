#include "fast.h"
#include "include/tessera_pixels.h"

// Sixteen bits of fraction.
enum { FRACTION = 16, HALF = 1 << (FRACTION - 1) };

FAST void tessera_luma_to_video_range(const uint8_t *samples, int count, uint8_t *result) {
  // 219 / 255.
  for (int index = 0; index < count; index++)
    result[index] = (uint8_t)((samples[index] * 56284 + (16 << FRACTION) + HALF) >> FRACTION);
}

FAST void tessera_chroma_to_video_range(const uint8_t *upper, const uint8_t *lower, int count,
                                        uint8_t *result) {
  // 224 / 255 of a quarter of the sum of four.
  const int32_t factor = 14392, offset = (128 << FRACTION) - 4 * 128 * factor + HALF;
  int pairs = count / 2;
  for (int index = 0; index < pairs; index++) {
    int left = 2 * index, right = left + 1;
    int32_t sum = upper[left] + upper[right] + lower[left] + lower[right];
    result[index] = (uint8_t)((sum * factor + offset) >> FRACTION);
  }
  if (count % 2)
    result[pairs] =
        (uint8_t)((2 * (upper[count - 1] + lower[count - 1]) * factor + offset) >> FRACTION);
}

static inline uint8_t byte(int32_t value) {
  return (uint8_t)(value < 0 ? 0 : value > 255 ? 255 : value);
}

FAST void tessera_planes_to_rgb(const uint8_t *luma, const uint8_t *blue, const uint8_t *red,
                                size_t count, uint8_t *result) {
  for (size_t index = 0; index < count; index++) {
    int32_t grey = (luma[index] << FRACTION) + HALF, b = blue[index] - 128, r = red[index] - 128;
    result[3 * index] = byte((grey + 91881 * r) >> FRACTION);
    result[3 * index + 1] = byte((grey - 22554 * b - 46802 * r) >> FRACTION);
    result[3 * index + 2] = byte((grey + 116130 * b) >> FRACTION);
  }
}
