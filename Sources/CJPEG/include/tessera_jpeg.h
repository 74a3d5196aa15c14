#pragma once
#include <stddef.h>
#include <stdint.h>

/// Recodes the image of a JPEG file without loss: the same coefficients with optimized Huffman
/// tables, in progressive scans, with a JFIF or Adobe segment if its colours need one and with no
/// other segment. Does the same as `jpegtran -copy none -optimize -progressive`.
///
/// Returns 0, and bytes that `free` releases; another value if the file is damaged in any way, is
/// CMYK, or needs more memory than there is.
int tessera_jpeg_recode(const uint8_t *file, size_t length, uint8_t **result, size_t *result_length);

/// Decodes a JPEG file into its planes as they are stored: luma, then two of chroma unless the image
/// is grey, with the values of JFIF. Rows arrive in groups, from the top down.
struct tessera_jpeg_planes;

/// The samples of one plane, once decoding has begun. `across` and `down` say how many of them the whole image covers, which is
/// not always a whole number.
struct tessera_jpeg_plane {
  int width, height;
  double across, down;
};

/// Reads the header. Returns NULL if it is damaged, if there is no memory, or if the file is of an unusual kind: other
/// colours than grey or YCbCr, arithmetic coding, or chroma that is neither as fine as luma nor half
/// as fine, on each axis.
///
/// - file: must stay until the end.
struct tessera_jpeg_planes *tessera_jpeg_planes_open(const uint8_t *file, size_t length);

/// In pixels, as stored.
int tessera_jpeg_planes_width(const struct tessera_jpeg_planes *image);
int tessera_jpeg_planes_height(const struct tessera_jpeg_planes *image);

/// Whether a JPEG file has neither Exif nor an ICC profile before its samples.
int tessera_jpeg_is_plain(const uint8_t *file, size_t length);

/// 1 or 3.
int tessera_jpeg_planes_count(const struct tessera_jpeg_planes *image);

/// Begins to decode, once. Returns 0, or -1 if the file is damaged or there is no memory.
///
/// - shrink: 1, 2, 4 or 8: the planes are made smaller while they are decoded. Chroma is made smaller
///   by less where it is stored with fewer samples.
int tessera_jpeg_planes_start(struct tessera_jpeg_planes *image, int shrink);

struct tessera_jpeg_plane tessera_jpeg_planes_plane(const struct tessera_jpeg_planes *image, int index);

/// Decodes the next group of rows. Returns 1; 0 after the last group; -1 if the file is damaged in any
/// way but by surplus bytes before a marker.
int tessera_jpeg_planes_read(struct tessera_jpeg_planes *image);

/// How many rows of a plane each group has. Those of the last may lie below the plane.
int tessera_jpeg_planes_row_count(const struct tessera_jpeg_planes *image, int index);

const uint8_t *tessera_jpeg_planes_row(const struct tessera_jpeg_planes *image, int index, int row);

void tessera_jpeg_planes_free(struct tessera_jpeg_planes *image);
