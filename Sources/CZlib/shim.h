#pragma once
#include <zlib.h>

// inflateInit2 is a macro, because it passes the header's version and the size of the struct. 15 is
// the largest window; 32 more make zlib recognize gzip and zlib framing by itself.
static inline int tessera_inflate_init(z_stream *stream) {
  return inflateInit2(stream, 15 + 32);
}

// Without framing (a negative window), for texts of about a kilobyte: a window of 4 KiB and small tables, which are
// cleared for each text.
static inline int tessera_deflate_init(z_stream *stream) {
  return deflateInit2(stream, 6, Z_DEFLATED, -12, 5, Z_DEFAULT_STRATEGY);
}
static inline int tessera_inflate_raw_init(z_stream *stream) {
  return inflateInit2(stream, -12);
}
