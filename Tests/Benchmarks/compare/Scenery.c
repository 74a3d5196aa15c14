// Draws images that cost about as much to decode and encode as photographs do: noise at every scale, weaker
// at the finest, brightness at all scales and colour at coarse ones.
//
//   scenery FOLDER   writes 12 images of 3000 x 2000 pixels, FOLDER/large/00.jpg and so on, and 60 of 500 x 375
//                    in FOLDER/small; the same ones each time. All are parts of one larger image.
#include <stdio.h>
#include <stdlib.h>
#include <vips/vips.h>

enum { width = 4000, height = 3000 };

static void check(int status) {
  if (status) {
    fprintf(stderr, "%s\n", vips_error_buffer());
    exit(1);
  }
}

static void replace(VipsImage **image, VipsImage *by) {
  g_object_unref(*image);
  *image = by;
}

// Noise whose grain is `cell` pixels, smoothly enlarged.
static VipsImage *octave(int cell, int seed) {
  // Photographs have about the same contrast at all scales, less where lenses blur.
  double deviation = cell == 1 ? 2 : cell == 2 ? 4 : cell == 4 ? 8 : 14;
  VipsImage *image, *next;
  check(vips_gaussnoise(&image, width / cell + 2, height / cell + 2, "mean", 0.0, "sigma",
                        deviation, "seed", seed, NULL));
  if (cell > 1) {
    check(vips_resize(image, &next, cell, "kernel", VIPS_KERNEL_CUBIC, NULL));
    replace(&image, next);
  }
  check(vips_crop(image, &next, 0, 0, width, height, NULL));
  replace(&image, next);
  return image;
}

// The sum of the octaves from `finest` on, around `mean`.
static VipsImage *plane(double mean, int finest, int seed) {
  VipsImage *sum, *next;
  check(vips_black(&sum, width, height, NULL));
  check(vips_linear1(sum, &next, 1, mean, NULL));
  replace(&sum, next);
  for (int cell = finest; cell <= 256; cell *= 2) {
    VipsImage *noise = octave(cell, seed + cell);
    check(vips_add(sum, noise, &next, NULL));
    g_object_unref(noise);
    replace(&sum, next);
  }
  return sum;
}

static VipsImage *scene(void) {
  VipsImage *bands[3], *image, *next;
  bands[1] = plane(128, 1, 0);
  for (int index = 0; index < 3; index += 2) {
    VipsImage *colour = plane(0, 32, 300 * (index + 1));
    check(vips_add(bands[1], colour, &bands[index], NULL));
    g_object_unref(colour);
  }
  check(vips_bandjoin(bands, &image, 3, NULL));
  for (int index = 0; index < 3; index++) g_object_unref(bands[index]);
  check(vips_cast(image, &next, VIPS_FORMAT_UCHAR, NULL));
  replace(&image, next);
  check(vips_copy(image, &next, "interpretation", VIPS_INTERPRETATION_sRGB, NULL));
  replace(&image, next);
  next = vips_image_copy_memory(image);
  check(next == NULL);
  replace(&image, next);
  return image;
}

static void save(VipsImage *scene, const char *folder, const char *kind, int index, int left,
                 int top, int columns, int rows) {
  VipsImage *part;
  char *path = g_strdup_printf("%s/%s/%02d.jpg", folder, kind, index);
  check(vips_crop(scene, &part, left, top, columns, rows, NULL));
  check(vips_jpegsave(part, path, "Q", 90, NULL));
  g_object_unref(part);
  g_free(path);
}

int main(int count, char *words[]) {
  if (count != 2 || VIPS_INIT(words[0])) {
    fprintf(stderr, "scenery FOLDER\n");
    return 1;
  }
  VipsImage *image = scene();
  for (int index = 0; index < 12; index++)
    save(image, words[1], "large", index, index * 83, index * 79, 3000, 2000);
  for (int index = 0; index < 60; index++)
    save(image, words[1], "small", index, index % 8 * 500, index / 8 * 375, 500, 375);
  g_object_unref(image);
  return 0;
}
