// Composes a screen of small images: from a table of pixels (Pipelines/CATALOG.md), or by decoding WebP files with
// libwebp, straight to their places, which is the least that an app can do.
//
//   TableScreen table FILE IDS ROUNDS       IDS: a file with a line for each id
//   TableScreen webp FILES ROUNDS           FILES: a file with a line for each path
//   TableScreen decode FILES ROUNDS         the same with the bytes in memory already: no file is read
//
// Prints the median processor time of a screen in microseconds, the peak memory and the anonymous memory in KiB, and a sum
// of the screen.
#include <fcntl.h>
#include <openssl/sha.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>
#include <webp/decode.h>

enum { SIDE = 48, COLUMNS = 25, MOST = 4096 };
static char *lines[MOST];
static int count;
static uint8_t *screen;
static size_t stride;

static void stop(const char *why) {
  fprintf(stderr, "TableScreen: %s\n", why);
  exit(2);
}

static void read_lines(const char *path) {
  FILE *file = fopen(path, "r");
  char line[4096];
  if (!file) stop(path);
  while (count < MOST && fgets(line, sizeof line, file)) {
    line[strcspn(line, "\n")] = 0;
    lines[count++] = strdup(line);
  }
  fclose(file);
}

static uint8_t *place(int index) {
  return screen + (size_t)(index / COLUMNS) * SIDE * stride + (size_t)(index % COLUMNS) * SIDE * 4;
}

static uint64_t number(const uint8_t *at, int bytes) {
  uint64_t value = 0;
  memcpy(&value, at, bytes);
  return value;
}

// Opened, checked and mapped in each round, as if the screen were the app's first.
static void draw_table(const char *path) {
  int file = open(path, O_RDONLY | O_CLOEXEC);
  struct stat status;
  if (file < 0 || fstat(file, &status) || status.st_size < 64) stop(path);
  const uint8_t *data = mmap(NULL, status.st_size, PROT_READ, MAP_PRIVATE | MAP_POPULATE, file, 0);
  close(file);
  if (data == MAP_FAILED || memcmp(data, "\x89TSP\r\n\x1a\n", 8)) stop("not a table");
  uint64_t row = number(data + 24, 4), entries = number(data + 28, 4), entry = number(data + 32, 8);
  uint64_t start = number(data + 48, 8), size = number(data + 56, 8);
  if (size != (uint64_t)status.st_size || start + entries * entry != size) stop("a damaged table");
  for (uint64_t n = 0; n + 1 < entries; n++)
    if (memcmp(data + 64 + 24 * n, data + 64 + 24 * (n + 1), 16) >= 0) stop("a damaged index");
  for (int index = 0; index < count; index++) {
    uint8_t hash[32];
    SHA256((const uint8_t *)lines[index], strlen(lines[index]), hash);
    uint64_t low = 0, high = entries;
    while (low < high) {
      uint64_t middle = (low + high) / 2;
      if (memcmp(data + 64 + 24 * middle, hash, 16) < 0) low = middle + 1;
      else high = middle;
    }
    const uint8_t *found = data + 64 + 24 * low;
    if (low == entries || memcmp(found, hash, 16)) stop("an image is missing");
    uint64_t width = number(found + 16, 2), height = number(found + 18, 2);
    for (uint64_t y = 0; y < height && y < SIDE; y++)
      memcpy(place(index) + y * stride, data + start + low * entry + y * row, (width < SIDE ? width : SIDE) * 4);
  }
  munmap((void *)data, status.st_size);
}

static void decode(const uint8_t *bytes, size_t length, int index) {
  WebPDecoderConfig config;
  WebPInitDecoderConfig(&config);
  config.output.colorspace = MODE_bgrA;  // premultiplied, as a screen needs it
  config.output.is_external_memory = 1;
  config.output.u.RGBA.rgba = place(index);
  config.output.u.RGBA.stride = (int)stride;
  config.output.u.RGBA.size = stride * (SIDE - 1) + SIDE * 4;
  if (WebPDecode(bytes, length, &config) != VP8_STATUS_OK) stop(lines[index]);
}

static size_t read_file(const char *path, uint8_t *buffer, size_t room) {
  int file = open(path, O_RDONLY | O_CLOEXEC);
  ssize_t length = file < 0 ? -1 : read(file, buffer, room);
  if (length <= 0) stop(path);
  close(file);
  return (size_t)length;
}

static double processor_time(void) {
  struct timespec now;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return now.tv_sec * 1e6 + now.tv_nsec / 1e3;
}

// Not getrusage(2), whose number includes the process that started this one.
static long memory(const char *format) {
  FILE *file = fopen("/proc/self/status", "r");
  char line[256];
  long found = 0;
  while (file && fgets(line, sizeof line, file)) sscanf(line, format, &found);
  if (file) fclose(file);
  return found;
}

static int ascending(const void *one, const void *other) {
  double difference = *(const double *)one - *(const double *)other;
  return difference < 0 ? -1 : difference > 0;
}

int main(int argc, char **argv) {
  if (argc < 4) stop("see its source");
  const char *mode = argv[1];
  int is_table = !strcmp(mode, "table"), rounds = atoi(argv[argc - 1]);
  read_lines(argv[is_table ? 3 : 2]);
  stride = (size_t)COLUMNS * SIDE * 4;
  screen = calloc((count + COLUMNS - 1) / COLUMNS * SIDE, stride);
  static uint8_t buffer[1 << 20];
  static uint8_t *files[MOST];
  static size_t lengths[MOST];
  for (int index = 0; index < count && !strcmp(mode, "decode"); index++) {
    lengths[index] = read_file(lines[index], buffer, sizeof buffer);
    files[index] = malloc(lengths[index]);
    memcpy(files[index], buffer, lengths[index]);
  }
  double *times = calloc(rounds, sizeof *times);
  for (int round = 0; round < rounds; round++) {
    double begun = processor_time();
    if (is_table) draw_table(argv[2]);
    for (int index = 0; index < count && !is_table; index++) {
      if (files[index]) decode(files[index], lengths[index], index);
      else decode(buffer, read_file(lines[index], buffer, sizeof buffer), index);
    }
    times[round] = processor_time() - begun;
  }
  qsort(times, rounds, sizeof *times, ascending);
  uint64_t sum = 0;
  for (size_t at = 0; at < (size_t)((count + COLUMNS - 1) / COLUMNS) * SIDE * stride; at++)
    sum = sum * 31 + screen[at];
  printf("%.0f %ld %ld %016llx\n", times[rounds / 2], memory("VmHWM: %ld"), memory("RssAnon: %ld"),
         (unsigned long long)sum);
  return 0;
}
