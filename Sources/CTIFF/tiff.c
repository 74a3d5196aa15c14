#include "include/tessera_tiff.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <tiffio.h>

struct memory {
  const uint8_t *bytes;
  toff_t length, place;
  char *reason;
};

static tmsize_t read_bytes(thandle_t handle, void *target, tmsize_t count) {
  struct memory *memory = handle;
  if (memory->place >= memory->length) return 0;
  toff_t rest = memory->length - memory->place;
  if ((toff_t)count > rest) count = (tmsize_t)rest;
  memcpy(target, memory->bytes + memory->place, (size_t)count);
  memory->place += (toff_t)count;
  return count;
}

static tmsize_t write_nothing(thandle_t handle, void *source, tmsize_t count) {
  (void)handle, (void)source, (void)count;
  return 0;
}

static toff_t seek(thandle_t handle, toff_t offset, int from) {
  struct memory *memory = handle;
  if (from == SEEK_CUR) offset += memory->place;
  if (from == SEEK_END) offset += memory->length;
  return memory->place = offset;
}

static int do_nothing(thandle_t handle) {
  (void)handle;
  return 0;
}

static toff_t size(thandle_t handle) { return ((struct memory *)handle)->length; }

// libtiff calls this with the handle that TIFFClientOpen got.
static void note(thandle_t handle, const char *module, const char *format, va_list arguments) {
  (void)module;
  // The first message is the cause.
  if (handle && !*((struct memory *)handle)->reason)
    vsnprintf(((struct memory *)handle)->reason, 256, format, arguments);
}

static void copy_bytes(TIFF *file, uint32_t tag, uint8_t **target, size_t *length) {
  void *bytes;
  uint32_t count;
  if (!TIFFGetField(file, tag, &count, &bytes) || !count || !(*target = malloc(count))) return;
  memcpy(*target, bytes, count);
  *length = count;
}

static int copy_metadata(TIFF *file, struct tessera_tiff_image *image, uint16_t photometric) {
  copy_bytes(file, TIFFTAG_XMLPACKET, &image->xmp, &image->xmp_length);
  copy_bytes(file, TIFFTAG_RICHTIFFIPTC, &image->iptc, &image->iptc_length);
  if (photometric == PHOTOMETRIC_RGB || photometric == PHOTOMETRIC_YCBCR || photometric <= PHOTOMETRIC_MINISBLACK)
    copy_bytes(file, TIFFTAG_ICCPROFILE, &image->profile, &image->profile_length);
  return 0;
}

// Twelve bits a sample, which the RGBA interface does not have: grey or colours, interleaved, in strips. The first sample's
// higher bits come first, and a row fills whole bytes.
static int decode_twelve_bits(TIFF *file, struct tessera_tiff_image *image, uint16_t photometric, int is_strict,
                              char *reason) {
  uint16_t samples = 1, planar = PLANARCONFIG_CONTIG, format = SAMPLEFORMAT_UINT;
  TIFFGetFieldDefaulted(file, TIFFTAG_SAMPLESPERPIXEL, &samples);
  TIFFGetFieldDefaulted(file, TIFFTAG_PLANARCONFIG, &planar);
  TIFFGetFieldDefaulted(file, TIFFTAG_SAMPLEFORMAT, &format);
  int is_colour = photometric == PHOTOMETRIC_RGB;
  if ((is_colour ? samples != 3 : samples != 1 || photometric > PHOTOMETRIC_MINISBLACK) ||
      (planar != PLANARCONFIG_CONTIG && samples > 1) || format != SAMPLEFORMAT_UINT || TIFFIsTiled(file)) {
    snprintf(reason, 256, "its kind of samples of twelve bits is not supported");
    return 1;
  }
  size_t row_samples = (size_t)image->width * samples;
  tmsize_t length = TIFFScanlineSize(file);
  if (length < (tmsize_t)((row_samples * 12 + 7) / 8)) return 1;
  uint8_t *row = calloc((size_t)length, 1);
  image->samples = calloc((size_t)image->width * image->height, 4);
  int failed = !row || !image->samples;
  for (uint32_t y = 0; y < image->height && !failed; y++) {
    if (TIFFReadScanline(file, row, y, 0) < 0) {
      failed = is_strict;
      break;
    }
    uint8_t *pixel = image->samples + (size_t)y * image->width * 4;
    for (size_t index = 0; index < row_samples; index++) {
      const uint8_t *pair = row + index / 2 * 3;
      unsigned value = index % 2 ? (pair[1] & 15u) << 8 | pair[2] : (unsigned)pair[0] << 4 | pair[1] >> 4;
      uint8_t sample = (uint8_t)((value * 255 + 2047) / 4095);
      if (photometric == PHOTOMETRIC_MINISWHITE) sample = 255 - sample;
      if (is_colour) {
        pixel[index / 3 * 4 + index % 3] = sample;
      } else {
        memset(pixel + index * 4, sample, 3);
      }
    }
    for (size_t x = 0; x < image->width; x++) pixel[x * 4 + 3] = 255;
  }
  free(row);
  return failed;
}

static int decode(TIFF *file, struct tessera_tiff_image *image, uint64_t most_pixels, int is_strict, char *reason) {
  uint16_t orientation = ORIENTATION_TOPLEFT, photometric = PHOTOMETRIC_MINISBLACK, bits = 1, extra_count = 0, *extra = NULL;
  char problem[1024] = "";
  if (!TIFFGetField(file, TIFFTAG_IMAGEWIDTH, &image->width) || !TIFFGetField(file, TIFFTAG_IMAGELENGTH, &image->height) ||
      !image->width || !image->height) {
    snprintf(reason, 256, "it states no size");
    return 1;
  }
  if ((uint64_t)image->width * image->height > most_pixels) {
    snprintf(reason, 256, "it has more pixels than are allowed");
    return 1;
  }
  TIFFGetFieldDefaulted(file, TIFFTAG_ORIENTATION, &orientation);
  TIFFGetField(file, TIFFTAG_PHOTOMETRIC, &photometric);
  TIFFGetFieldDefaulted(file, TIFFTAG_BITSPERSAMPLE, &bits);
  image->orientation = orientation;
  image->is_grey = photometric <= PHOTOMETRIC_MINISBLACK;
  if (bits == 12) return decode_twelve_bits(file, image, photometric, is_strict, reason) || copy_metadata(file, image, photometric);
  TIFFRGBAImage reader;
  if (!TIFFRGBAImageOK(file, problem) || !TIFFRGBAImageBegin(&reader, file, is_strict, problem)) {
    snprintf(reason, 256, "%.255s", problem);
    return 1;
  }
  // Rows stay in the order of the file.
  reader.req_orientation = reader.orientation;
  // The reader also takes a band without a meaning for alpha.
  image->has_alpha = reader.alpha && TIFFGetField(file, TIFFTAG_EXTRASAMPLES, &extra_count, &extra) && extra_count &&
                     *extra != EXTRASAMPLE_UNSPECIFIED;
  size_t count = (size_t)image->width * image->height;
  image->samples = calloc(count, 4);
  int is_read = image->samples && TIFFRGBAImageGet(&reader, (uint32_t *)image->samples, image->width, image->height);
  TIFFRGBAImageEnd(&reader);
  if (!is_read) return 1;
  return copy_metadata(file, image, photometric);
}

int tessera_tiff_decode(const uint8_t *bytes, size_t length, uint64_t most_pixels, int is_strict,
                        struct tessera_tiff_image *image, char *reason) {
  struct memory memory = {bytes, length, 0, reason};
  TIFFErrorHandlerExt errors = TIFFSetErrorHandlerExt(note), warnings = TIFFSetWarningHandlerExt(NULL);
  TIFFErrorHandler plain_errors = TIFFSetErrorHandler(NULL), plain_warnings = TIFFSetWarningHandler(NULL);
  *reason = 0;
  memset(image, 0, sizeof *image);
  TIFF *file = TIFFClientOpen("source", "rm", &memory, read_bytes, write_nothing, seek, do_nothing, size, NULL, NULL);
  int failed = !file || decode(file, image, most_pixels, is_strict, reason);
  if (file) TIFFClose(file);
  TIFFSetErrorHandlerExt(errors);
  TIFFSetWarningHandlerExt(warnings);
  TIFFSetErrorHandler(plain_errors);
  TIFFSetWarningHandler(plain_warnings);
  if (failed) {
    free(image->samples);
    image->samples = NULL;
  }
  return failed;
}
