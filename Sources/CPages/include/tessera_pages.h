#pragma once
#include <stddef.h>

/// A file that is a part of the program.
struct tessera_page {
  /// As `tessera help` knows it; NULL behind the last one.
  const char *topic;
  /// UTF-8, ends with a zero.
  const char *text;
};

/// The pages of Pipelines, in the order in which they are listed.
const struct tessera_page *tessera_pages(void);

/// The page that `tessera gallery` fills: UTF-8, ends with a zero.
const char *tessera_gallery(void);
