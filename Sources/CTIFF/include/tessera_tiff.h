#pragma once
#include <stddef.h>
#include <stdint.h>

/// An image as libtiff's RGBA interface gives it.
struct tessera_tiff_image {
  uint32_t width, height;
  /// Red, green, blue and alpha of each pixel in 8 bits, row by row, multiplied by alpha; freed with free(3).
  uint8_t *samples;
  int has_alpha;
  /// Whether red, green and blue are equal.
  int is_grey;
  /// The tag's value; the rows are as they are stored.
  int orientation;
  /// The profile of grey, or of red, green and blue; NULL if there is none. Freed with free(3).
  uint8_t *profile;
  size_t profile_length;
  /// The XMP packet, and the record of IPTC; likewise.
  uint8_t *xmp, *iptc;
  size_t xmp_length, iptc_length;
};

/// Decodes the first image of a TIFF file of any kind that libtiff knows.
///
/// @param most_pixels Larger images are rejected before memory is allocated.
/// @param is_strict Whether damaged data is an error; otherwise the rest of the image is transparent.
/// @param reason Of at least 256 bytes: why it failed, a clause.
/// @return 0 on success.
int tessera_tiff_decode(const uint8_t *file, size_t length, uint64_t most_pixels, int is_strict,
                        struct tessera_tiff_image *image, char *reason);
