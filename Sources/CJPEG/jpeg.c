#include "include/tessera_jpeg.h"

#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>

#include <jpeglib.h>

// libjpeg reports a fatal error by calling a function that must not return, so the way out is
// longjmp. Swift cannot call setjmp; that is why this file is C.
struct failure {
  struct jpeg_error_mgr manager;
  jmp_buf place;
};

static void leave(j_common_ptr info) { longjmp(((struct failure *)info->err)->place, 1); }

static void be_silent(j_common_ptr info) { (void)info; }

int tessera_jpeg_recode(const uint8_t *file, size_t length, uint8_t **result,
                        size_t *result_length) {
  struct jpeg_decompress_struct source;
  struct jpeg_compress_struct target;
  struct failure failure;
  // Volatile, because it is changed between setjmp and longjmp (C17, 7.13.2.1).
  volatile int is_done = 0;
  unsigned char *memory = NULL;
  unsigned long size = 0;

  source.err = target.err = jpeg_std_error(&failure.manager);
  failure.manager.error_exit = leave;
  failure.manager.output_message = be_silent;
  jpeg_create_decompress(&source);
  jpeg_create_compress(&target);
  if (!setjmp(failure.place)) {
    jpeg_mem_src(&source, file, length);
    jpeg_read_header(&source, TRUE);
    // CMYK (four components) is always converted to sRGB, so its coefficients are never reused.
    if (source.num_components <= 3) {
      jvirt_barray_ptr *coefficients = jpeg_read_coefficients(&source);
      // A warning is damage that libjpeg has worked around. Writing sets the count to 0.
      if (failure.manager.num_warnings == 0) {
        jpeg_copy_critical_parameters(&source, &target);
        target.optimize_coding = TRUE;
        jpeg_simple_progression(&target);
        jpeg_mem_dest(&target, &memory, &size);
        jpeg_write_coefficients(&target, coefficients);
        jpeg_finish_compress(&target);
        jpeg_finish_decompress(&source);
        *result = memory;
        *result_length = size;
        is_done = 1;
      }
    }
  }
  if (!is_done && target.dest) {
    // After an error during writing, `memory` is out of date: libjpeg grows its buffer elsewhere, and says where it is
    // only at the end.
    target.dest->term_destination(&target);
    free(memory);
  }
  jpeg_destroy_compress(&target);
  jpeg_destroy_decompress(&source);
  return is_done ? 0 : 1;
}
