#pragma once
#include <stddef.h>
#include <stdint.h>

/// Recodes the image of a JPEG file without loss: the same coefficients with optimized Huffman
/// tables, in progressive scans, with a JFIF or Adobe segment if its colours need one and with no
/// other segment. Does the same as `jpegtran -copy none -optimize -progressive`.
///
/// Returns 0, and bytes that `free` releases; another value if the file is damaged in any way, is
/// CMYK, or needs more memory than there is.
int tessera_jpeg_recode(const uint8_t *file, size_t length, uint8_t **result, size_t *result_length);
