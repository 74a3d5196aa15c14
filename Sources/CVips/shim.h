#pragma once
#include <gmodule.h>
#include <vips/vips.h>

// libvips' operations are variadic C functions, which Swift cannot call. Each has one typed wrapper
// here, with only the options that Tessera uses.

// Loaders. Our header reader decides the format, and its loader is called by name: libvips never
// guesses. Each reads from memory that its caller keeps for as long as the image exists: a worker can
// open no file, and relative references in a drawing lead nowhere.
static inline int tessera_vips_load_jpeg(const void *bytes, size_t length, VipsImage **out,
                                         int shrink, VipsFailOn fail_on) {
  return vips_jpegload_buffer((void *)bytes, length, out, "access", VIPS_ACCESS_SEQUENTIAL,
                              "fail_on", fail_on, "shrink", shrink, NULL);
}
static inline int tessera_vips_load_png(const void *bytes, size_t length, VipsImage **out,
                                        VipsFailOn fail_on) {
  return vips_pngload_buffer((void *)bytes, length, out, "access", VIPS_ACCESS_SEQUENTIAL,
                             "fail_on", fail_on, NULL);
}
static inline int tessera_vips_load_gif(const void *bytes, size_t length, VipsImage **out,
                                        int frames, VipsFailOn fail_on) {
  return vips_gifload_buffer((void *)bytes, length, out, "access", VIPS_ACCESS_SEQUENTIAL,
                             "fail_on", fail_on, "n", frames, NULL);
}
static inline int tessera_vips_load_webp(const void *bytes, size_t length, VipsImage **out,
                                         int frames, double scale, VipsFailOn fail_on) {
  return vips_webpload_buffer((void *)bytes, length, out, "access", VIPS_ACCESS_SEQUENTIAL,
                              "fail_on", fail_on, "n", frames, "scale", scale, NULL);
}
static inline int tessera_vips_load_heif(const void *bytes, size_t length, VipsImage **out,
                                         VipsFailOn fail_on) {
  return vips_heifload_buffer((void *)bytes, length, out, "access", VIPS_ACCESS_SEQUENTIAL,
                              "fail_on", fail_on, NULL);
}
static inline int tessera_vips_load_tiff(const void *bytes, size_t length, VipsImage **out,
                                         VipsFailOn fail_on) {
  return vips_tiffload_buffer((void *)bytes, length, out, "access", VIPS_ACCESS_SEQUENTIAL,
                              "fail_on", fail_on, NULL);
}
// The next four load bytes that no caller keeps, so the image owns a copy of them.
static inline int tessera_vips_keep(int failed, void *copy, size_t length, VipsImage *image) {
  if (failed) {
    g_free(copy);
    return -1;
  }
  vips_image_set_blob(image, "tessera-source", (VipsCallbackFn)vips_area_free_cb, copy, length);
  return 0;
}
static inline int tessera_vips_load_png_bytes(const void *bytes, size_t length, VipsImage **out, VipsFailOn fail_on) {
  void *copy = g_memdup2(bytes, length);
  int failed = vips_pngload_buffer(copy, length, out, "access", VIPS_ACCESS_SEQUENTIAL, "fail_on",
                                   fail_on, NULL);
  return tessera_vips_keep(failed, copy, length, failed ? NULL : *out);
}
static inline int tessera_vips_load_heif_bytes(const void *bytes, size_t length, VipsImage **out, VipsFailOn fail_on) {
  void *copy = g_memdup2(bytes, length);
  int failed = tessera_vips_load_heif(copy, length, out, fail_on);
  return tessera_vips_keep(failed, copy, length, failed ? NULL : *out);
}
/// Renders a drawing at `scale` times its size.
static inline int tessera_vips_load_svg_bytes(const void *bytes, size_t length, VipsImage **out, double scale,
                                              VipsFailOn fail_on) {
  void *copy = g_memdup2(bytes, length);
  int failed = vips_svgload_buffer(copy, length, out, "scale", scale, "fail_on", fail_on, NULL);
  return tessera_vips_keep(failed, copy, length, failed ? NULL : *out);
}
/// Loads bytes that this process has made, so that libvips parses the Exif in them.
static inline int tessera_vips_load_jpeg_bytes(const void *bytes, size_t length, VipsImage **out) {
  void *copy = g_memdup2(bytes, length);
  int failed = vips_jpegload_buffer(copy, length, out, NULL);
  return tessera_vips_keep(failed, copy, length, failed ? NULL : *out);
}
/// A single black pixel.
static inline int tessera_vips_black(VipsImage **out) { return vips_black(out, 1, 1, NULL); }
static inline void tessera_vips_copy_field(VipsImage *from, VipsImage *to, const char *name) {
  GValue value = G_VALUE_INIT;
  if (vips_image_get(from, name, &value)) return;
  vips_image_set(to, name, &value);
  g_value_unset(&value);
}
/// An image that frees its samples, also if this fails.
static inline int tessera_vips_from_owned_samples(void *samples, int width, int height, int bands, VipsBandFormat format,
                                                  VipsInterpretation interpretation, VipsImage **out) {
  size_t length = (size_t)width * height * bands * (format == VIPS_FORMAT_USHORT ? 2 : 1);
  VipsImage *plain = vips_image_new_from_memory(samples, length, width, height, bands, format);
  if (!plain) {
    free(samples);
    return -1;
  }
  // Not as a field: those are copied.
  g_object_set_data_full(G_OBJECT(plain), "tessera-samples", samples, free);
  int failed = vips_copy(plain, out, "interpretation", interpretation, NULL);
  g_object_unref(plain);
  return failed;
}
/// 8-bit sRGB samples; with four bands, the last is alpha.
static inline int tessera_vips_from_samples(const void *samples, size_t length, int width,
                                            int height, int bands, VipsImage **out) {
  VipsImage *plain = vips_image_new_from_memory_copy(samples, length, width, height, bands,
                                                     VIPS_FORMAT_UCHAR);
  if (!plain) return -1;
  int failed = vips_copy(plain, out, "interpretation", VIPS_INTERPRETATION_sRGB, NULL);
  g_object_unref(plain);
  return failed;
}

static inline int tessera_vips_save_webp(VipsImage *in, void **data, size_t *length, int quality,
                                         int effort, int alpha_quality) {
  return vips_webpsave_buffer(in, data, length, "Q", quality, "effort", effort, "alpha_q",
                              alpha_quality, NULL);
}
static inline int tessera_vips_save_jpeg(VipsImage *in, void **data, size_t *length, int quality) {
  return vips_jpegsave_buffer(in, data, length, "Q", quality, "optimize_coding", TRUE,
                              "interlace", TRUE, NULL);
}
static inline int tessera_vips_save_avif(VipsImage *in, void **data, size_t *length, int quality,
                                         int effort, int strip) {
  return vips_heifsave_buffer(in, data, length, "compression", VIPS_FOREIGN_HEIF_COMPRESSION_AV1,
                              "encoder", VIPS_FOREIGN_HEIF_ENCODER_AOM, "bitdepth", 8, "Q", quality,
                              "effort", effort, "strip", strip, NULL);
}
/// With chroma in a quarter of the samples at every quality: the brand "heic" is for the profiles Main and Main Still
/// Picture (ISO/IEC 23008-12, B.4.1), which have no other, and many decoders have no others. By itself libvips keeps all
/// chroma from a quality of 90 on.
static inline int tessera_vips_save_heic(VipsImage *in, void **data, size_t *length, int quality, int strip) {
  return vips_heifsave_buffer(in, data, length, "compression", VIPS_FOREIGN_HEIF_COMPRESSION_HEVC,
                              "encoder", VIPS_FOREIGN_HEIF_ENCODER_X265, "bitdepth", 8, "Q", quality,
                              "subsample_mode", VIPS_FOREIGN_SUBSAMPLE_ON, "strip", strip, NULL);
}
/// Whether libheif, which is loaded with libvips or with its module, encodes in a codec; libvips has libheif's numbers of them.
static inline int tessera_heif_encodes(VipsForeignHeifCompression codec) {
  GModule *program = g_module_open(NULL, G_MODULE_BIND_LAZY);
  gpointer function = NULL;
  int encodes = program && g_module_symbol(program, "heif_have_encoder_for_format", &function) &&
                ((int (*)(int))function)(codec);
  if (program) g_module_close(program);
  return encodes;
}
static inline int tessera_vips_save_jxl(VipsImage *in, void **data, size_t *length, int quality,
                                        int effort, int strip) {
  return vips_jxlsave_buffer(in, data, length, "Q", quality, "effort", effort, "strip", strip, NULL);
}
static inline int tessera_vips_save_png(VipsImage *in, void **data, size_t *length) {
  return vips_pngsave_buffer(in, data, length, NULL);
}

/// Whether the embedded profile can be parsed and matches the image's bands. vips_icc_transform
/// would silently use another profile in its place.
static inline int tessera_vips_profile_is_usable(VipsImage *in) {
  const void *data;
  size_t length;
  if (vips_image_get_blob(in, VIPS_META_ICC_NAME, &data, &length)) return 0;
  return vips_icc_is_compatible_profile(in, data, length);
}

/// Converts from the embedded profile if `input` is NULL, otherwise from a built-in one: "cmyk". Without black point
/// compensation, as in vips_thumbnail.
static inline int tessera_vips_icc_to_srgb(VipsImage *in, VipsImage **out, const char *input,
                                           VipsIntent intent) {
  if (!input)
    return vips_icc_transform(in, out, "srgb", "embedded", TRUE, "depth", 8, "intent", intent, NULL);
  return vips_icc_transform(in, out, "srgb", "input_profile", input, "depth", 8, "intent", intent, NULL);
}
/// Samples of 8 or 16 bits without a sign. Those with a sign have their middle at 0, longer ones lose their lower half,
/// and floating-point ones are from 0 to 1, as TIFF has them.
static inline int tessera_vips_usual_samples(VipsImage *in, VipsImage **out) {
  double factor = 1, offset = 0;
  switch (in->BandFmt) {
  case VIPS_FORMAT_UCHAR:
  case VIPS_FORMAT_USHORT: return vips_copy(in, out, NULL);
  case VIPS_FORMAT_CHAR: return vips_linear1(in, out, 1, 128, "uchar", TRUE, NULL);
  case VIPS_FORMAT_SHORT: offset = 32768; break;
  case VIPS_FORMAT_UINT: factor = 1 / 65536.0; break;
  case VIPS_FORMAT_INT: factor = 1 / 65536.0, offset = 32768; break;
  case VIPS_FORMAT_FLOAT:
  case VIPS_FORMAT_DOUBLE: factor = 65535, offset = 0.5; break;
  default:
    vips_error("tessera", "samples of complex numbers are not supported");
    return -1;
  }
  VipsImage *scaled = NULL;
  int failed = vips_linear1(in, &scaled, factor, offset, NULL) || vips_cast(scaled, out, VIPS_FORMAT_USHORT, NULL);
  if (scaled) g_object_unref(scaled);
  return failed;
}
/// Brings samples of 8 or 16 bits from 16...235 (of 8 bits) to the full range: of colours, of alpha, the last band, or of
/// both.
static inline int tessera_vips_expand_range(VipsImage *in, VipsImage **out, int colours, int alpha) {
  double most = in->BandFmt == VIPS_FORMAT_USHORT ? 65535 : 255;
  double black = most * 16 / 255, factor = 255.0 / 219, factors[5], offsets[5];
  if (in->Bands > 5) {
    vips_error("tessera", "too many bands");
    return -1;
  }
  int has_alpha = vips_image_hasalpha(in);
  for (int band = 0; band < in->Bands; band++) {
    int is_expanded = has_alpha && band == in->Bands - 1 ? alpha : colours;
    factors[band] = is_expanded ? factor : 1;
    // Half is added because the result is cut off.
    offsets[band] = is_expanded ? 0.5 - black * factor : 0;
  }
  VipsImage *scaled = NULL;
  int failed = vips_linear(in, &scaled, factors, offsets, in->Bands, NULL) ||
               vips_cast(scaled, out, in->BandFmt, NULL);
  if (scaled) g_object_unref(scaled);
  return failed;
}
static inline int tessera_vips_set_interpretation(VipsImage *in, VipsImage **out, VipsInterpretation interpretation) {
  return vips_copy(in, out, "interpretation", interpretation, NULL);
}
/// Grey of 8 or 16 bits as red, green and blue; a second band is alpha.
static inline int tessera_vips_grey_to_rgb(VipsImage *in, VipsImage **out) {
  VipsObject *context = VIPS_OBJECT(vips_image_new());
  VipsImage **step = (VipsImage **)vips_object_local_array(context, 2);
  VipsImage *bands[4] = {NULL, NULL, NULL, NULL};
  int failed = vips_extract_band(in, &step[0], 0, NULL);
  if (!failed && in->Bands > 1) failed = vips_extract_band(in, &step[1], in->Bands - 1, NULL);
  VipsImage *joined = NULL;
  if (!failed) {
    bands[0] = bands[1] = bands[2] = step[0];
    bands[3] = step[1];
    failed = vips_bandjoin(bands, &joined, in->Bands > 1 ? 4 : 3, NULL);
  }
  if (!failed)
    failed = vips_copy(joined, out, "interpretation",
                       in->BandFmt == VIPS_FORMAT_USHORT ? VIPS_INTERPRETATION_RGB16 : VIPS_INTERPRETATION_sRGB, NULL);
  if (joined) g_object_unref(joined);
  g_object_unref(context);
  return failed;
}
static inline int tessera_vips_to_cmyk(VipsImage *in, VipsImage **out) {
  return vips_icc_transform(in, out, "cmyk", "input_profile", "srgb", "intent",
                            VIPS_INTENT_RELATIVE, NULL);
}
/// Converts 8-bit CMYK by the formula of PDF and PostScript turned around: red is white without cyan and black.
static inline int tessera_vips_inks_to_srgb(VipsImage *in, VipsImage **out) {
  VipsObject *context = VIPS_OBJECT(vips_image_new());
  VipsImage **step = (VipsImage **)vips_object_local_array(context, 5);
  int failed = vips_invert(in, &step[0], NULL) || vips_extract_band(step[0], &step[1], 0, "n", 3, NULL) ||
               vips_extract_band(step[0], &step[2], 3, NULL) ||
               vips_multiply(step[1], step[2], &step[3], NULL) ||
               // Half is added because the result is cut off.
               vips_linear1(step[3], &step[4], 1.0 / 255, 0.5, "uchar", TRUE, NULL) ||
               vips_copy(step[4], out, "interpretation", VIPS_INTERPRETATION_sRGB, NULL);
  g_object_unref(context);
  return failed;
}
static inline int tessera_vips_extract_bands(VipsImage *in, VipsImage **out, int first, int count) {
  return vips_extract_band(in, out, first, "n", count, NULL);
}
static inline int tessera_vips_bandjoin(VipsImage *first, VipsImage *second, VipsImage **out) {
  return vips_bandjoin2(first, second, out, NULL);
}
/// The smallest of all samples.
static inline int tessera_vips_least(VipsImage *in, double *least) {
  return vips_min(in, least, NULL);
}
/// The upper eight of 16 bits.
static inline int tessera_vips_upper_byte(VipsImage *in, VipsImage **out) {
  return vips_msb(in, out, NULL);
}
static inline int tessera_vips_colourspace(VipsImage *in, VipsImage **out,
                                           VipsInterpretation space) {
  return vips_colourspace(in, out, space, NULL);
}
static inline int tessera_vips_autorot(VipsImage *in, VipsImage **out) {
  return vips_autorot(in, out, NULL);
}
static inline int tessera_vips_resize(VipsImage *in, VipsImage **out, double scale,
                                      double vertical) {
  return vips_resize(in, out, scale, "vscale", vertical, NULL);
}
static inline int tessera_vips_extract_area(VipsImage *in, VipsImage **out, int left, int top,
                                            int width, int height) {
  return vips_extract_area(in, out, left, top, width, height, NULL);
}
/// The result's offsets state its position, negated.
static inline int tessera_vips_smartcrop(VipsImage *in, VipsImage **out, int width, int height,
                                         int entropy) {
  return vips_smartcrop(in, out, width, height, "interesting",
                        entropy ? VIPS_INTERESTING_ENTROPY : VIPS_INTERESTING_ATTENTION, NULL);
}
static inline int tessera_vips_premultiply(VipsImage *in, VipsImage **out) {
  return vips_premultiply(in, out, NULL);
}
static inline int tessera_vips_unpremultiply(VipsImage *in, VipsImage **out) {
  return vips_unpremultiply(in, out, NULL);
}
static inline int tessera_vips_cast_uchar(VipsImage *in, VipsImage **out) {
  return vips_cast(in, out, VIPS_FORMAT_UCHAR, NULL);
}
static inline int tessera_vips_flatten(VipsImage *in, VipsImage **out, double red, double green,
                                       double blue) {
  double colour[3] = {red, green, blue};
  VipsArrayDouble *background = vips_array_double_new(colour, 3);
  int result = vips_flatten(in, out, "background", background, NULL);
  vips_area_unref(VIPS_AREA(background));
  return result;
}
static inline int tessera_vips_stack(VipsImage **in, VipsImage **out, int count) {
  return vips_arrayjoin(in, out, count, "across", 1, NULL);
}
static inline int tessera_vips_copy_plain(VipsImage *in, VipsImage **out) {
  return vips_copy(in, out, NULL);
}

/// A positive number among an image's fields, or `otherwise` if there is none. libvips' own
/// functions for the number of frames and their height treat 10,000 or more frames as one.
static inline int tessera_vips_number(VipsImage *in, const char *name, int otherwise) {
  int number;
  if (!vips_image_get_typeof(in, name) || vips_image_get_int(in, name, &number)) return otherwise;
  return number > 0 ? number : otherwise;
}

// g_object_unref is a macro with a cast, which Swift does not import.
static inline void tessera_vips_unref(VipsImage *image) { g_object_unref(image); }

/// Initializes the classes of a type and everything below it, which GObject otherwise does when each
/// is first used: once before workers are forked, and not again in each of them.
static inline void tessera_vips_initialize_classes(GType type) {
  // Kept for the life of the process.
  g_type_class_ref(type);
  guint count = 0;
  GType *children = g_type_children(type, &count);
  for (guint index = 0; index < count; index++) tessera_vips_initialize_classes(children[index]);
  g_free(children);
}
static inline void tessera_vips_initialize_operations(void) {
  tessera_vips_initialize_classes(VIPS_TYPE_OPERATION);
}

/// Starts libvips without its modules, all of which vips_init otherwise loads: with them come ImageMagick,
/// Poppler and OpenSlide, which read formats that are never opened here. libvips looks for its modules below the folder
/// that VIPSHOME names. Returns 0, or -1.
static inline int tessera_vips_start(const char *name) {
  setenv("VIPSHOME", "/nonexistent", 1);
  int result = vips_init(name);
  unsetenv("VIPSHOME");
  return result;
}
/// An address in libvips, to find its file by.
static inline const void *tessera_vips_address(void) { return (const void *)vips_init; }
/// The name of the folder beside libvips that has its modules. The caller frees it.
static inline char *tessera_vips_modules_folder(void) {
  return g_strdup_printf("vips-modules-%d.%d", vips_version(0), vips_version(1));
}
/// Loads a module for as long as the process lives. Without the file nothing happens: where libvips was built without
/// modules, their loaders are in libvips itself.
static inline void tessera_vips_load_module(const char *path) {
  g_module_open(path, G_MODULE_BIND_LAZY);
}

/// Blocks every loader but those above. vips_block_untrusted_set is not enough: libvips 8.14.1 does
/// not mark matrixload as untrusted, and its SVG sniffer loops forever on some input.
static inline void tessera_vips_block_all_but_named(void) {
  vips_operation_block_set("VipsForeignLoad", TRUE);
  vips_operation_block_set("VipsForeignLoadJpegBuffer", FALSE);
  vips_operation_block_set("VipsForeignLoadPngBuffer", FALSE);
  vips_operation_block_set("VipsForeignLoadNsgifBuffer", FALSE);
  vips_operation_block_set("VipsForeignLoadWebpBuffer", FALSE);
  vips_operation_block_set("VipsForeignLoadTiffBuffer", FALSE);
  vips_operation_block_set("VipsForeignLoadHeifBuffer", FALSE);
  vips_operation_block_set("VipsForeignLoadSvgBuffer", FALSE);
}
