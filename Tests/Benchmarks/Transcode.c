// What Tessera is compared with: the same work in C and libvips, without a network, state, catalog,
// placeholders or protection.
//
//   transcode FOLDER THREADS SIZES IMAGE…   SIZES is a list such as 1024,512,256,128
//
// Each image is decoded once, at a scale that serves the largest size; each smaller size is made from the one
// before. The files are FOLDER/NAME-SIZE.webp, in sRGB, without metadata.
#include <glib.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <vips/vips.h>
#include <webp/mux.h>

static const char *folder;
static int sizes[16], size_count;
static char **images;
static int image_count, next_image;

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

// Converts only images with a profile: with "export_profile", vips_thumbnail of libvips 8.14 shifts the
// colours of all others. Takes over the reference to `image`.
static VipsImage *in_srgb(VipsImage *image) {
  VipsImage *converted;
  if (!vips_image_get_typeof(image, VIPS_META_ICC_NAME)) return image;
  if (vips_icc_transform(image, &converted, "srgb", "embedded", TRUE, "depth", 8, "intent",
                         VIPS_INTENT_RELATIVE, NULL))
    fail("icc_transform");
  g_object_unref(image);
  return converted;
}

// libvips 8.14 writes Exif even if it is told not to, so it is removed from the file.
static void write_without_exif(void *data, size_t length, const char *path) {
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
  write_without_exif(data, length, path);
  g_free(data);
}

static void transcode(const char *path) {
  VipsImage *level;
  if (vips_thumbnail(path, &level, sizes[0], "height", sizes[0], "size", VIPS_SIZE_DOWN, "fail_on",
                     VIPS_FAIL_ON_ERROR, NULL))
    fail(path);
  level = in_memory(in_srgb(level));
  char *name = g_path_get_basename(path), *dot = strrchr(name, '.');
  if (dot) *dot = 0;
  for (int index = 0; index < size_count; index++) {
    if (index > 0) {
      VipsImage *next;
      if (vips_thumbnail_image(level, &next, sizes[index], "height", sizes[index], "size",
                               VIPS_SIZE_DOWN, NULL))
        fail("thumbnail");
      g_object_unref(level);
      level = in_memory(next);
    }
    char *target = g_strdup_printf("%s/%s-%d.webp", folder, name, sizes[index]);
    save(level, target);
    g_free(target);
  }
  g_object_unref(level);
  g_free(name);
}

static void *work(void *unused) {
  int index;
  while ((index = g_atomic_int_add(&next_image, 1)) < image_count) transcode(images[index]);
  vips_thread_shutdown();
  return unused;
}

int main(int count, char *words[]) {
  if (count < 5 || VIPS_INIT(words[0])) fail("transcode FOLDER THREADS SIZES IMAGE…");
  vips_concurrency_set(1);
  vips_cache_set_max(0);
  folder = words[1];
  for (char *size = strtok(words[3], ","); size && size_count < 16; size = strtok(NULL, ","))
    sizes[size_count++] = atoi(size);
  images = words + 4;
  image_count = count - 4;
  int threads = atoi(words[2]);
  GThread *started[64];
  for (int index = 0; index < threads && index < 64; index++)
    started[index] = g_thread_new("worker", work, NULL);
  for (int index = 0; index < threads && index < 64; index++) g_thread_join(started[index]);
  return 0;
}
