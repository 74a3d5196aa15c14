#pragma once
#include <stddef.h>
#include <stdint.h>

enum tessera_colours { tessera_grey, tessera_rgb, tessera_cmyk };

/// An image with all its samples, turned upright if its format turns images.
struct tessera_decoded_image {
  uint32_t width, height;
  /// Colours, and after them alpha if there is one.
  int bands;
  enum tessera_colours colours;
  /// Whether colours are multiplied by alpha.
  int is_premultiplied;
  /// Whether samples have 16 bits, not 8.
  int is_wide;
  /// Row by row without gaps; freed with free(3).
  void *samples;
  /// The profile of the samples; NULL if there is none. Freed with free(3).
  uint8_t *profile;
  size_t profile_length;
};

/// Decodes a JPEG XL file with libjxl: of an animation, the first frame, composed of its layers.
///
/// @param most_pixels Larger images are rejected before they are decoded.
/// @param reason Of at least 256 bytes: why it failed, a clause.
/// @return 0 on success.
int tessera_jxl_decode(const uint8_t *file, size_t length, uint64_t most_pixels, struct tessera_decoded_image *image,
                       char *reason);

/// Decodes a JP2 file or a code stream with OpenJPEG, likewise. Indices of a palette become colours, and so do luma and
/// chroma.
///
/// @param is_strict Whether a code stream that is cut off is an error.
int tessera_jp2_decode(const uint8_t *file, size_t length, uint64_t most_pixels, int is_strict,
                       struct tessera_decoded_image *image, char *reason);
