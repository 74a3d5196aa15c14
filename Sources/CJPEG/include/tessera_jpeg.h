#pragma once
#include <stddef.h>
#include <stdint.h>

/// The picture of a JPEG file coded anew without loss: the same coefficients, by Huffman's codes made for it, in
/// progressive scans, with JFIF's or Adobe's segment where its colours ask for one and with no other segment. As
/// `jpegtran -copy none -optimize -progressive` does.
///
/// Returns 0, and bytes that `free` releases; anything else where the file is damaged in any way, has four inks, or
/// asks for more memory than there is.
int tessera_jpeg_recode(const uint8_t *file, size_t length, uint8_t **result, size_t *result_length);
