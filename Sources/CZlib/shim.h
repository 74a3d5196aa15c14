#pragma once
#include <zlib.h>

// inflateInit2 is a macro that passes the header's version and struct size along. 15 + 32: the
// largest window, and gzip or zlib framing recognised by the library itself.
static inline int tessera_inflate_init(z_stream *stream) {
  return inflateInit2(stream, 15 + 32);
}
