// The reference for the worker's benchmark: the same calls of libvips, without anything around
// them.
//
//   transcode FOLDER IMAGE…   writes each JPEG at 1024, 512, 256 and 128 pixels, as WebP
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <vips/vips.h>
#include <webp/mux.h>

static void fail(const char *what) {
  fprintf(stderr, "%s: %s\n", what, vips_error_buffer());
  exit(1);
}

// The image computed and held in memory. Takes over the reference to `image`.
static VipsImage *in_memory(VipsImage *image) {
  VipsImage *copy = vips_image_copy_memory(image);
  if (!copy) fail("copy");
  g_object_unref(image);
  return copy;
}

static VipsImage *resized(VipsImage *image, int width, int height) {
  VipsImage *out;
  if (vips_resize(image, &out, (double)width / image->Xsize, "vscale",
                  (double)height / image->Ysize, NULL))
    fail("resize");
  return in_memory(out);
}

static void save(VipsImage *image, const char *path) {
  VipsImage *plain;
  void *data;
  size_t length;
  if (vips_copy(image, &plain, NULL)) fail("copy");
  char **names = vips_image_get_fields(plain);
  for (int index = 0; names[index]; index++) vips_image_remove(plain, names[index]);
  g_strfreev(names);
  if (vips_webpsave_buffer(plain, &data, &length, "Q", 80, "effort", 4, NULL)) fail("webpsave");
  g_object_unref(plain);
  WebPData input = {data, length}, output;
  WebPMux *mux = WebPMuxCreate(&input, 0);
  if (!mux) fail("mux");
  WebPMuxDeleteChunk(mux, "EXIF");
  if (WebPMuxAssemble(mux, &output) != WEBP_MUX_OK) fail("mux");
  FILE *file = fopen(path, "wb");
  if (!file || fwrite(output.bytes, 1, output.size, file) != output.size) fail(path);
  fclose(file);
  WebPDataClear(&output);
  WebPMuxDelete(mux);
  g_free(data);
}

static void transcode(const char *path, const char *folder) {
  VipsImage *image;
  if (vips_jpegload(path, &image, "access", VIPS_ACCESS_SEQUENTIAL, "fail_on", VIPS_FAIL_ON_ERROR,
                    NULL))
    fail(path);
  int longer = VIPS_MAX(image->Xsize, image->Ysize);
  int width = image->Xsize * 1024LL / longer, height = image->Ysize * 1024LL / longer;
  int shrink = longer >= 16384 ? 8 : longer >= 8192 ? 4 : longer > 4096 ? 2 : 1;
  if (shrink > 1) {
    g_object_unref(image);
    if (vips_jpegload(path, &image, "access", VIPS_ACCESS_SEQUENTIAL, "fail_on",
                      VIPS_FAIL_ON_ERROR, "shrink", shrink, NULL))
      fail(path);
  }
  if (vips_image_get_typeof(image, VIPS_META_ICC_NAME)) {
    VipsImage *screen;
    if (vips_icc_transform(image, &screen, "srgb", "embedded", TRUE, "depth", 8, "intent",
                           VIPS_INTENT_RELATIVE, NULL))
      fail("icc_transform");
    g_object_unref(image);
    image = screen;
  }
  VipsImage *level = resized(image, width, height);
  g_object_unref(image);
  for (int size = 1024; size >= 128; size /= 2) {
    char target[4096];
    snprintf(target, sizeof target, "%s/%d.webp", folder, size);
    save(level, target);
    VipsImage *next = resized(level, VIPS_MAX(1, level->Xsize / 2), VIPS_MAX(1, level->Ysize / 2));
    g_object_unref(level);
    level = next;
  }
  g_object_unref(level);
}

int main(int count, char *words[]) {
  if (VIPS_INIT(words[0])) fail("init");
  vips_concurrency_set(1);
  vips_cache_set_max(0);
  for (int index = 2; index < count; index++) transcode(words[index], words[1]);
  return 0;
}
