#pragma once
#include <zlib.h>

// inflateInit2 is a macro, because it passes the header's version and the size of the struct. 15 is
// the largest window; 32 more make zlib recognize gzip and zlib framing by itself.
static inline int tessera_inflate_init(z_stream *stream) {
  return inflateInit2(stream, 15 + 32);
}
