// What the C code of the lanes promises for any bytes: it reads and writes within its memory, and ends.
// libFuzzer calls it with one input after another, under AddressSanitizer.
#include <stdlib.h>
#include <string.h>

#include <tessera_jpeg.h>
#include <tessera_pixels.h>

enum { MOST_PIXELS = 1 << 14, SIDE = 40 };

static void jpeg(const uint8_t *bytes, size_t count, int choice) {
  uint8_t result[SIDE * SIDE];
  struct tessera_jpeg_planes *file = tessera_jpeg_planes_open(bytes, count);
  if (!file) return;
  tessera_jpeg_is_plain(bytes, count);
  if (tessera_jpeg_planes_start(file, 1 << choice % 4) != 0) {
    tessera_jpeg_planes_free(file);
    return;
  }
  struct tessera_resampler *resamplers[3] = {0};
  int planes = tessera_jpeg_planes_count(file);
  long pixels = 0;
  for (int index = 0; index < planes; index++) {
    struct tessera_jpeg_plane plane = tessera_jpeg_planes_plane(file, index);
    pixels += (long)plane.width * plane.height;
    if (pixels > MOST_PIXELS) break;
    int is_mirrored = choice >> 2 & 1;
    double step = plane.across / SIDE;
    struct tessera_axis across = {plane.width, SIDE, is_mirrored ? plane.across : 0,
                                  is_mirrored ? -step : step};
    struct tessera_axis down = {plane.height, SIDE, 0, plane.down / SIDE};
    resamplers[index] = choice >> 3 & 1 ? tessera_resampler_new(across, down, 0, result, 1, SIDE)
                                        : tessera_resampler_new(across, down, 0, result, SIDE, 1);
    if (!resamplers[index]) abort();
  }
  while (pixels <= MOST_PIXELS && tessera_jpeg_planes_read(file) == 1)
    for (int index = 0; index < planes; index++)
      for (int row = 0; row < tessera_jpeg_planes_row_count(file, index); row++)
        tessera_resampler_add_row(resamplers[index], tessera_jpeg_planes_row(file, index, row));
  for (int index = 0; index < planes; index++) tessera_resampler_free(resamplers[index]);
  tessera_jpeg_planes_free(file);
}

static void png(const uint8_t *bytes, size_t count, int choice) {
  int bands = choice % 4 + 1, depth = 1 << (choice >> 2) % 4;
  size_t width = bytes[0] % 60 + 1, length = width * (size_t)bands;
  size_t rows = (count - 1) / (length + 1);
  uint8_t *copy = malloc(count);
  memcpy(copy, bytes + 1, count - 1);
  if (tessera_png_undo_filters(copy, length, rows, bands) == 0 && rows > 0) {
    uint8_t result[SIDE * SIDE * 4], palette[4 * 16] = {0}, expanded[60 * 4];
    struct tessera_image_resampler *resampler =
        tessera_image_resampler_new((int)width, (int)rows, bands, SIDE, SIDE, result);
    for (size_t row = 0; row < rows; row++) {
      const uint8_t *samples = copy + row * (length + 1) + 1;
      tessera_image_resampler_add(resampler, samples, bands);
      if (bands % 2 == 0) tessera_is_opaque(samples, width, bands);
      if (tessera_png_expand(samples, depth, width, palette, 16, bands, expanded) < -1) abort();
    }
    tessera_image_resampler_end(resampler);
  }
  free(copy);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t count) {
  if (count < 3) return 0;
  // The last byte chooses, so that the corpus consists of files.
  if (bytes[0] == 0xFF) jpeg(bytes, count - 1, bytes[count - 1]);
  else png(bytes, count - 1, bytes[count - 1]);
  return 0;
}
