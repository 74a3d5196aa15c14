#include "fast.h"
#include "include/tessera_pixels.h"

enum { FRACTION = 16, HALF = 1 << (FRACTION - 1) };

static inline uint8_t byte(int32_t value) {
  return (uint8_t)(value < 0 ? 0 : value > 255 ? 255 : value);
}

FAST void tessera_ycc_to_rgb(uint8_t *samples, size_t pixels) {
  for (size_t index = 0; index < pixels; index++, samples += 3) {
    int32_t grey = (samples[0] << FRACTION) + HALF, blue = samples[1] - 128, red = samples[2] - 128;
    samples[0] = byte((grey + 91881 * red) >> FRACTION);
    samples[1] = byte((grey - 22554 * blue - 46802 * red) >> FRACTION);
    samples[2] = byte((grey + 116130 * blue) >> FRACTION);
  }
}
