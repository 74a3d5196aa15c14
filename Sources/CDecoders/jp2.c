#include "include/tessera_decoders.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <openjpeg-2.5/openjpeg.h>

struct memory {
  const uint8_t *bytes;
  size_t length, place;
};

static OPJ_SIZE_T read_bytes(void *target, OPJ_SIZE_T count, void *handle) {
  struct memory *memory = handle;
  size_t rest = memory->length - memory->place;
  if (!rest) return (OPJ_SIZE_T)-1;
  if (count > rest) count = rest;
  memcpy(target, memory->bytes + memory->place, count);
  memory->place += count;
  return count;
}

static OPJ_BOOL seek(OPJ_OFF_T offset, void *handle) {
  struct memory *memory = handle;
  if (offset < 0 || (size_t)offset > memory->length) return OPJ_FALSE;
  memory->place = (size_t)offset;
  return OPJ_TRUE;
}

static OPJ_OFF_T skip(OPJ_OFF_T count, void *handle) {
  struct memory *memory = handle;
  return seek((OPJ_OFF_T)memory->place + count, handle) ? count : -1;
}

// The first message is the cause.
static void note(const char *message, void *reason) {
  if (!*(char *)reason) snprintf(reason, 256, "%.*s", (int)strcspn(message, "\n"), message);
}

static int reject(char *reason, const char *text) {
  snprintf(reason, 256, "%s", text);
  return 1;
}

static uint32_t upward(uint32_t value, uint32_t divisor) { return value / divisor + (value % divisor != 0); }

// Writes a component as one band of the image, in as many samples as the component with most of them has: the chroma of
// photographs has fewer.
static void store(const opj_image_t *source, const opj_image_comp_t *component, uint32_t step_x, uint32_t step_y,
                  const struct tessera_decoded_image *image, int band) {
  int64_t most = ((int64_t)1 << component->prec) - 1, whole = image->is_wide ? 65535 : 255;
  int64_t offset = component->sgnd ? (int64_t)1 << (component->prec - 1) : 0;
  uint32_t first_x = upward(source->x0, component->dx), first_y = upward(source->y0, component->dy);
  for (uint32_t row = 0; row < image->height; row++) {
    uint32_t y = (upward(source->y0, step_y) + row) * step_y / component->dy;
    y = y > first_y ? y - first_y : 0;
    const OPJ_INT32 *samples = component->data + (size_t)(y < component->h ? y : component->h - 1) * component->w;
    size_t place = (size_t)row * image->width * image->bands + band;
    for (uint32_t column = 0; column < image->width; column++, place += image->bands) {
      uint32_t x = column;
      if (component->dx != step_x) {
        x = (upward(source->x0, step_x) + column) * step_x / component->dx;
        x = x > first_x ? x - first_x : 0;
      }
      int64_t value = samples[x < component->w ? x : component->w - 1] + offset;
      value = value < 0 ? 0 : value > most ? most : value;
      if (most != whole) value = (value * whole + most / 2) / most;
      if (image->is_wide) {
        ((uint16_t *)image->samples)[place] = (uint16_t)value;
      } else {
        ((uint8_t *)image->samples)[place] = (uint8_t)value;
      }
    }
  }
}

// From luma and chroma to red, green and blue (sYCC; IEC 61966-2-1, amendment 1).
static void convert_to_rgb(const struct tessera_decoded_image *image) {
  size_t count = (size_t)image->width * image->height;
  double whole = image->is_wide ? 65535 : 255, middle = image->is_wide ? 32768 : 128;
  for (size_t pixel = 0; pixel < count; pixel++) {
    size_t place = pixel * image->bands;
    uint8_t *narrow = (uint8_t *)image->samples + place;
    uint16_t *wide = (uint16_t *)image->samples + place;
    double luma = image->is_wide ? wide[0] : narrow[0];
    double blue = (image->is_wide ? wide[1] : narrow[1]) - middle, red = (image->is_wide ? wide[2] : narrow[2]) - middle;
    double colours[] = {luma + 1.402 * red, luma - 0.344136 * blue - 0.714136 * red, luma + 1.772 * blue};
    for (int band = 0; band < 3; band++) {
      double value = colours[band] < 0 ? 0 : colours[band] > whole ? whole : colours[band] + 0.5;
      if (image->is_wide) {
        wide[band] = (uint16_t)value;
      } else {
        narrow[band] = (uint8_t)value;
      }
    }
  }
}

// Which components are shown: colours, and then alpha.
static int choose(const opj_image_t *source, struct tessera_decoded_image *image, const opj_image_comp_t *chosen[5],
                  char *reason) {
  int colours = 0, others = 0;
  const opj_image_comp_t *alpha = NULL;
  for (uint32_t index = 0; index < source->numcomps; index++) {
    const opj_image_comp_t *component = &source->comps[index];
    if (!component->data || !component->w || !component->h || !component->prec || component->prec > 31)
      return reject(reason, "one of its components has no samples, or more than 31 bits");
    if (component->alpha) {
      if (!alpha) alpha = component;
    } else if (colours < 4) {
      chosen[colours++] = component;
    } else {
      others++;
    }
  }
  int is_cmyk = source->color_space == OPJ_CLRSPC_CMYK ||
                (image->profile_length >= 20 && !memcmp(image->profile + 16, "CMYK", 4));
  if (!colours || (is_cmyk && colours < 4)) return reject(reason, "it has too few components");
  image->colours = is_cmyk ? tessera_cmyk
                   : colours < 3 || source->color_space == OPJ_CLRSPC_GRAY ? tessera_grey
                                                                          : tessera_rgb;
  int shown = image->colours == tessera_cmyk ? 4 : image->colours == tessera_rgb ? 3 : 1;
  // Without a word on it, one more component is alpha, as for all readers.
  if (!alpha && !is_cmyk && colours == shown + 1 && !others) alpha = chosen[shown];
  if (is_cmyk) alpha = NULL;
  image->bands = shown + (alpha != NULL);
  image->is_premultiplied = alpha && alpha->alpha == 2;
  if (alpha) chosen[shown] = alpha;
  return 0;
}

static int convert(const opj_image_t *source, struct tessera_decoded_image *image, char *reason) {
  const opj_image_comp_t *chosen[5] = {NULL};
  // OpenJPEG keeps the range of Lab in place of a profile.
  if (source->icc_profile_buf && !source->icc_profile_len) return reject(reason, "colours of Lab are not supported");
  if (source->icc_profile_len && (image->profile = malloc(source->icc_profile_len))) {
    image->profile_length = source->icc_profile_len;
    memcpy(image->profile, source->icc_profile_buf, image->profile_length);
  }
  if (choose(source, image, chosen, reason)) return 1;
  uint32_t step_x = chosen[0]->dx, step_y = chosen[0]->dy;
  for (int band = 0; band < image->bands; band++) {
    if (chosen[band]->dx < step_x) step_x = chosen[band]->dx;
    if (chosen[band]->dy < step_y) step_y = chosen[band]->dy;
    if (chosen[band]->prec > 8) image->is_wide = 1;
  }
  image->width = upward(source->x1, step_x) - upward(source->x0, step_x);
  image->height = upward(source->y1, step_y) - upward(source->y0, step_y);
  image->samples = calloc((size_t)image->width * image->height, (size_t)image->bands * (image->is_wide ? 2 : 1));
  if (!image->samples) return reject(reason, "out of memory");
  for (int band = 0; band < image->bands; band++) store(source, chosen[band], step_x, step_y, image, band);
  // Only chroma has fewer samples than the first component.
  if (image->colours == tessera_rgb &&
      (source->color_space == OPJ_CLRSPC_SYCC || source->color_space == OPJ_CLRSPC_EYCC || chosen[1]->dx > chosen[0]->dx))
    convert_to_rgb(image);
  return 0;
}

static int decode(opj_codec_t *codec, opj_stream_t *stream, uint64_t most_pixels, int is_strict,
                  struct tessera_decoded_image *image, char *reason) {
  opj_dparameters_t parameters;
  opj_set_default_decoder_parameters(&parameters);
  opj_image_t *source = NULL;
  int failed = !opj_setup_decoder(codec, &parameters) || !opj_decoder_set_strict_mode(codec, is_strict) ||
               !opj_read_header(stream, codec, &source);
  if (!failed && (source->numcomps > 16 || source->x1 <= source->x0 || source->y1 <= source->y0 ||
                  (uint64_t)(source->x1 - source->x0) * (source->y1 - source->y0) > most_pixels))
    failed = reject(reason, "it has more pixels or components than are allowed");
  failed = failed || !opj_decode(codec, stream, source) || convert(source, image, reason);
  opj_image_destroy(source);
  return failed;
}

int tessera_jp2_decode(const uint8_t *file, size_t length, uint64_t most_pixels, int is_strict,
                       struct tessera_decoded_image *image, char *reason) {
  struct memory memory = {file, length, 0};
  *reason = 0;
  memset(image, 0, sizeof *image);
  // A code stream begins with its marker, a file with a box.
  opj_codec_t *codec = opj_create_decompress(length > 1 && file[0] == 0xFF ? OPJ_CODEC_J2K : OPJ_CODEC_JP2);
  opj_stream_t *stream = opj_stream_create(1 << 16, OPJ_TRUE);
  int failed = !codec || !stream;
  if (!failed) {
    opj_set_error_handler(codec, note, reason);
    opj_stream_set_user_data(stream, &memory, NULL);
    opj_stream_set_user_data_length(stream, length);
    opj_stream_set_read_function(stream, read_bytes);
    opj_stream_set_seek_function(stream, seek);
    opj_stream_set_skip_function(stream, skip);
    failed = decode(codec, stream, most_pixels, is_strict, image, reason);
  }
  if (stream) opj_stream_destroy(stream);
  if (codec) opj_destroy_codec(codec);
  if (failed) {
    free(image->samples);
    free(image->profile);
    image->samples = NULL;
    image->profile = NULL;
  }
  return failed;
}
