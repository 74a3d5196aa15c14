#pragma once
#include <expat.h>
#include <stdint.h>

#if XML_MAJOR_VERSION == 2 && XML_MINOR_VERSION < 9
// Expat 2.9 has these, and marks those that they replace as deprecated.
static inline uint64_t XML_GetCurrentLineNumber64(XML_Parser parser) { return XML_GetCurrentLineNumber(parser); }
static inline int64_t XML_GetCurrentByteIndex64(XML_Parser parser) { return XML_GetCurrentByteIndex(parser); }
#endif
