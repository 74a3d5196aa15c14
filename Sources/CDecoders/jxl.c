#include "include/tessera_decoders.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <jxl/decode.h>

// libjxl 0.9 left out an argument that had no meaning.
#if JPEGXL_NUMERIC_VERSION < JPEGXL_COMPUTE_NUMERIC_VERSION(0, 9, 0)
#define UNUSED NULL,
#else
#define UNUSED
#endif

static int reject(char *reason, const char *text) {
  snprintf(reason, 256, "%s", text);
  return 1;
}

// Runs the decoder up to an event.
static int run(JxlDecoder *decoder, JxlDecoderStatus event, char *reason) {
  JxlDecoderStatus status = JxlDecoderProcessInput(decoder);
  if (status == event) return 0;
  return reject(reason, status == JXL_DEC_NEED_MORE_INPUT ? "it is cut off" : "its code stream is damaged");
}

// Whether one of the channels is the black of four inks.
static int has_black(JxlDecoder *decoder, uint32_t count) {
  JxlExtraChannelInfo channel;
  for (uint32_t index = 0; index < count; index++)
    if (JxlDecoderGetExtraChannelInfo(decoder, index, &channel) == JXL_DEC_SUCCESS && channel.type == JXL_CHANNEL_BLACK)
      return 1;
  return 0;
}

static int read_profile(JxlDecoder *decoder, struct tessera_decoded_image *image, char *reason) {
  size_t length = 0;
  if (JxlDecoderGetICCProfileSize(decoder, UNUSED JXL_COLOR_PROFILE_TARGET_DATA, &length) != JXL_DEC_SUCCESS || !length)
    return 0;
  image->profile = malloc(length);
  if (!image->profile) return reject(reason, "out of memory");
  image->profile_length = length;
  if (JxlDecoderGetColorAsICCProfile(decoder, UNUSED JXL_COLOR_PROFILE_TARGET_DATA, image->profile, length) !=
      JXL_DEC_SUCCESS)
    return reject(reason, "its profile is damaged");
  return 0;
}

static int decode(JxlDecoder *decoder, uint64_t most_pixels, struct tessera_decoded_image *image, char *reason) {
  JxlBasicInfo info;
  if (run(decoder, JXL_DEC_BASIC_INFO, reason)) return 1;
  if (JxlDecoderGetBasicInfo(decoder, &info) != JXL_DEC_SUCCESS) return reject(reason, "its header is damaged");
  if (has_black(decoder, info.num_extra_channels)) return reject(reason, "JPEG XL in inks (CMYK) is not supported");
  if ((uint64_t)info.xsize * info.ysize > most_pixels) return reject(reason, "it has more pixels than are allowed");
  image->width = info.xsize;
  image->height = info.ysize;
  image->colours = info.num_color_channels == 1 ? tessera_grey : tessera_rgb;
  image->bands = (int)info.num_color_channels + (info.alpha_bits > 0);
  image->is_wide = info.bits_per_sample > 8 || info.exponent_bits_per_sample > 0;
  if (run(decoder, JXL_DEC_COLOR_ENCODING, reason) || read_profile(decoder, image, reason) ||
      run(decoder, JXL_DEC_NEED_IMAGE_OUT_BUFFER, reason))
    return 1;
  JxlPixelFormat format = {(uint32_t)image->bands, image->is_wide ? JXL_TYPE_UINT16 : JXL_TYPE_UINT8, JXL_NATIVE_ENDIAN, 0};
  size_t length = (size_t)image->width * image->height * (size_t)image->bands * (image->is_wide ? 2 : 1);
  image->samples = malloc(length);
  if (!image->samples) return reject(reason, "out of memory");
  if (JxlDecoderSetImageOutBuffer(decoder, &format, image->samples, length) != JXL_DEC_SUCCESS)
    return reject(reason, "its code stream contradicts its header");
  return run(decoder, JXL_DEC_FULL_IMAGE, reason);
}

int tessera_jxl_decode(const uint8_t *file, size_t length, uint64_t most_pixels, struct tessera_decoded_image *image,
                       char *reason) {
  *reason = 0;
  memset(image, 0, sizeof *image);
  JxlDecoder *decoder = JxlDecoderCreate(NULL);
  if (!decoder) return reject(reason, "out of memory");
  int failed = JxlDecoderSubscribeEvents(decoder, JXL_DEC_BASIC_INFO | JXL_DEC_COLOR_ENCODING | JXL_DEC_FULL_IMAGE) !=
                   JXL_DEC_SUCCESS ||
               JxlDecoderSetUnpremultiplyAlpha(decoder, JXL_TRUE) != JXL_DEC_SUCCESS ||
               JxlDecoderSetInput(decoder, file, length) != JXL_DEC_SUCCESS;
  if (!failed) {
    JxlDecoderCloseInput(decoder);
    failed = decode(decoder, most_pixels, image, reason);
  }
  JxlDecoderDestroy(decoder);
  if (failed) {
    free(image->samples);
    free(image->profile);
    image->samples = image->profile = NULL;
  }
  return failed;
}
