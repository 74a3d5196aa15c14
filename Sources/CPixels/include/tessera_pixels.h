#pragma once
#include <stddef.h>
#include <stdint.h>

/// Where the samples of one axis of a result lie in its source. The centre of sample `i` of the result
/// is at `start + (i + 0.5) * step`, in samples of the source from the edge of the first one. A
/// negative step mirrors.
struct tessera_axis {
  int source, result;
  double start, step;
};

/// Resamples a plane of 8-bit samples with a Lanczos kernel of three lobes, which is widened when the
/// result is smaller (C. E. Duchon, "Lanczos Filtering in One and Two Dimensions", 1979). Integers
/// only: every processor computes the same bytes. Rows arrive one by one, from the top down, so that
/// a source need not be in memory.
struct tessera_resampler;

/// Returns NULL if there is no memory.
///
/// - is_wide: whether samples, of the source and of the result, are signed and have 16 bits. Those of
///   the source are at most 16,384; the result overshoots.
/// - result: receives the samples; `stride` samples from one row to the next, each `pitch` samples
///   from the one before. It must stay until the last row was added.
struct tessera_resampler *tessera_resampler_new(struct tessera_axis across, struct tessera_axis down,
                                                int is_wide, void *result, size_t stride,
                                                size_t pitch);

/// The memory for the next row of the source, of `across.source` samples.
void *tessera_resampler_row(struct tessera_resampler *resampler);

/// Adds the row that `tessera_resampler_row` returned. Rows beyond the source are ignored.
void tessera_resampler_add(struct tessera_resampler *resampler);

/// Adds a copy of a row of 8-bit samples.
void tessera_resampler_add_row(struct tessera_resampler *resampler, const uint8_t *row);

void tessera_resampler_free(struct tessera_resampler *resampler);

/// Resamples an image of interleaved 8-bit samples whose rows arrive one by one. With two or four
/// bands, the last is alpha: colours are multiplied by it before, and divided by it afterwards, so
/// that colours of transparent pixels do not show.
struct tessera_image_resampler;

/// Returns NULL if there is no memory, or if there are not one to four bands.
///
/// - result: receives the image, without gaps. It must stay until `tessera_image_resampler_end`.
struct tessera_image_resampler *tessera_image_resampler_new(int width, int height, int bands,
                                                            int result_width, int result_height,
                                                            uint8_t *result);

/// Adds the next row of the source.
///
/// - pitch: how many samples each pixel has; more than `bands` if the last ones are left out.
void tessera_image_resampler_add(struct tessera_image_resampler *resampler, const uint8_t *row,
                                 int pitch);

/// Completes the result after the last row, and frees the resampler. May be called before the last
/// row; the result is then without meaning.
void tessera_image_resampler_end(struct tessera_image_resampler *resampler);

/// Converts interleaved samples of luma, blue and red chroma in place to red, green and blue, by the
/// equations of JFIF 1.02.
void tessera_ycc_to_rgb(uint8_t *samples, size_t pixels);

/// Undoes the filters of PNG (ISO/IEC 15948, clause 9) in place.
///
/// - rows: each a byte for its filter, and `length` bytes of samples.
/// - bands: bytes from one pixel to the next, 1 to 4.
///
/// Returns 0, or -1 if a filter is unknown or there is no memory.
int tessera_png_undo_filters(uint8_t *rows, size_t length, size_t count, int bands);

/// Replaces indices of 1, 2, 4 or 8 bits by the first `bands` bytes of their colour.
///
/// - palette: four bytes for each of `colours` indices.
///
/// Returns 0, or -1 if an index has no colour.
int tessera_png_expand(const uint8_t *indices, int depth, size_t count, const uint8_t *palette,
                       int colours, int bands, uint8_t *result);

/// Whether the last of two or four bands is 255 everywhere.
int tessera_is_opaque(const uint8_t *row, size_t pixels, int bands);
