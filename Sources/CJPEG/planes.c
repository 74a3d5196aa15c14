#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <jerror.h>
#include <jpeglib.h>

#include "include/tessera_jpeg.h"

enum { MOST_PLANES = 3 };

struct tessera_jpeg_planes {
  struct jpeg_decompress_struct source;
  struct jpeg_error_mgr manager;
  jmp_buf place;
  struct tessera_jpeg_plane planes[MOST_PLANES];
  // The memory for one group of rows, and pointers to its rows.
  uint8_t *samples;
  JSAMPROW *rows[MOST_PLANES];
};

// libjpeg reports a fatal error by calling a function that must not return.
static void leave(j_common_ptr info) {
  longjmp(((struct tessera_jpeg_planes *)info->client_data)->place, 1);
}

// Counts damage, in silence. Surplus bytes before a marker, which some cameras write, do no harm.
static void note(j_common_ptr info, int level) {
  if (level < 0 && info->err->msg_code != JWRN_EXTRANEOUS_DATA) info->err->num_warnings++;
}

// Whether each chroma plane has as many samples as luma or half as many, on each axis, and the
// colours are those of JFIF.
static int is_usual(const struct jpeg_decompress_struct *source) {
  if (source->arith_code || source->data_precision != 8) return 0;
  if (source->jpeg_color_space == JCS_GRAYSCALE) return source->num_components == 1;
  if (source->jpeg_color_space != JCS_YCbCr || source->num_components != 3) return 0;
  const jpeg_component_info *luma = source->comp_info;
  for (int index = 1; index < 3; index++) {
    const jpeg_component_info *chroma = luma + index;
    int across = chroma->h_samp_factor, down = chroma->v_samp_factor;
    if (luma->h_samp_factor != across && luma->h_samp_factor != 2 * across) return 0;
    if (luma->v_samp_factor != down && luma->v_samp_factor != 2 * down) return 0;
  }
  return 1;
}

static int rows_per_group(const jpeg_component_info *component) {
  return component->v_samp_factor * component->DCT_scaled_size;
}

// Sets what is known of the planes, and allocates the memory for a group of rows.
static int prepare(struct tessera_jpeg_planes *image) {
  struct jpeg_decompress_struct *source = &image->source;
  size_t strides[MOST_PLANES], total = 0;
  for (int index = 0; index < source->num_components; index++) {
    const jpeg_component_info *component = source->comp_info + index;
    // libjpeg writes whole blocks, as many as the coded units of a row have.
    size_t units = (component->width_in_blocks + (size_t)component->h_samp_factor - 1) /
                   (size_t)component->h_samp_factor;
    strides[index] =
        units * (size_t)component->h_samp_factor * (size_t)component->DCT_scaled_size;
    total += strides[index] * (size_t)rows_per_group(component);
    double size = component->DCT_scaled_size / (double)DCTSIZE;
    image->planes[index] = (struct tessera_jpeg_plane){
        .width = (int)component->downsampled_width, .height = (int)component->downsampled_height,
        .across = source->image_width * size * component->h_samp_factor / source->max_h_samp_factor,
        .down = source->image_height * size * component->v_samp_factor / source->max_v_samp_factor};
  }
  image->samples = malloc(total);
  if (!image->samples) return 0;
  uint8_t *next = image->samples;
  for (int index = 0; index < source->num_components; index++) {
    int count = rows_per_group(source->comp_info + index);
    image->rows[index] = malloc(sizeof(JSAMPROW) * (size_t)count);
    if (!image->rows[index]) return 0;
    for (int row = 0; row < count; row++, next += strides[index]) image->rows[index][row] = next;
  }
  return 1;
}

struct tessera_jpeg_planes *tessera_jpeg_planes_open(const uint8_t *file, size_t length) {
  struct tessera_jpeg_planes *image = calloc(1, sizeof *image);
  if (!image) return NULL;
  image->source.err = jpeg_std_error(&image->manager);
  image->manager.error_exit = leave;
  image->manager.emit_message = note;
  image->source.client_data = image;
  if (setjmp(image->place)) goto none;
  jpeg_create_decompress(&image->source);
  jpeg_mem_src(&image->source, file, length);
  jpeg_read_header(&image->source, TRUE);
  if (is_usual(&image->source)) return image;
none:
  tessera_jpeg_planes_free(image);
  return NULL;
}

int tessera_jpeg_planes_width(const struct tessera_jpeg_planes *image) {
  return (int)image->source.image_width;
}

int tessera_jpeg_planes_height(const struct tessera_jpeg_planes *image) {
  return (int)image->source.image_height;
}

static int has_name(const uint8_t *segment, size_t count, const char *name) {
  size_t length = strlen(name);
  return count >= length && memcmp(segment, name, length) == 0;
}

// Walks the markers as libjpeg does, up to the samples. To have it save segments would take time by the square of their
// number.
int tessera_jpeg_is_plain(const uint8_t *file, size_t length) {
  for (size_t place = 2; place + 4 <= length;) {
    uint8_t marker = file[place + 1];
    // Bytes between segments, which belong to none, and fill bytes.
    if (file[place] != 0xFF || marker == 0xFF) {
      place++;
      continue;
    }
    if (marker == 0 || marker == 1 || (marker >= 0xD0 && marker <= 0xD8)) {
      place += 2;
      continue;
    }
    if (marker == 0xD9 || marker == 0xDA) break;
    size_t size = (size_t)file[place + 2] << 8 | file[place + 3], rest = length - place - 4;
    size_t count = size < 2 ? 0 : size - 2 < rest ? size - 2 : rest;
    // With any byte behind the name: some programs look no further.
    if (marker == 0xE1 && has_name(file + place + 4, count, "Exif")) return 0;
    if (marker == 0xE2 && has_name(file + place + 4, count, "ICC_PROFILE")) return 0;
    place += 2 + (size < 2 ? 2 : size);
  }
  return 1;
}

int tessera_jpeg_planes_start(struct tessera_jpeg_planes *image, int shrink) {
  struct jpeg_decompress_struct *source = &image->source;
  if (setjmp(image->place)) return -1;
  source->raw_data_out = TRUE;
  source->scale_num = (unsigned)(DCTSIZE / shrink);
  source->scale_denom = DCTSIZE;
  return jpeg_start_decompress(source) && prepare(image) ? 0 : -1;
}

int tessera_jpeg_planes_count(const struct tessera_jpeg_planes *image) {
  return image->source.num_components;
}

struct tessera_jpeg_plane tessera_jpeg_planes_plane(const struct tessera_jpeg_planes *image, int index) {
  return image->planes[index];
}

int tessera_jpeg_planes_read(struct tessera_jpeg_planes *image) {
  struct jpeg_decompress_struct *source = &image->source;
  if (setjmp(image->place)) return -1;
  if (source->output_scanline >= source->output_height) {
    jpeg_finish_decompress(source);
    return image->manager.num_warnings == 0 ? 0 : -1;
  }
  jpeg_read_raw_data(source, image->rows, (JDIMENSION)rows_per_group(source->comp_info));
  return image->manager.num_warnings == 0 ? 1 : -1;
}

int tessera_jpeg_planes_row_count(const struct tessera_jpeg_planes *image, int index) {
  return rows_per_group(image->source.comp_info + index);
}

const uint8_t *tessera_jpeg_planes_row(const struct tessera_jpeg_planes *image, int index, int row) {
  return image->rows[index][row];
}

void tessera_jpeg_planes_free(struct tessera_jpeg_planes *image) {
  if (!image) return;
  // Frees nothing if it was never created: calloc left zeros.
  jpeg_destroy_decompress(&image->source);
  for (int index = 0; index < MOST_PLANES; index++) free(image->rows[index]);
  free(image->samples);
  free(image);
}
