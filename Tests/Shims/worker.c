// Simulates a kernel without confinement, and a decoder that an image has taken over. Preloaded into
// the real tessera-worker, it takes effect where libvips opens a JPEG image: one with a profile.
//
//   SHIM_LACKS   what the kernel lacks: landlock, seccomp; what libheif lacks: hevc (its encoder); separated by commas
//   SHIM_DOES    what the decoder does before it decodes: "leak" (100 MiB of address space), "fork"
//                (ten processes that sleep), "fill" (writes 8 MiB to a new file of each folder, then far behind),
//                "sleep" (for ever), "die" (of SIGKILL); separated by commas. "crowd": from then on it
//                gets no thread. "late": the fork server is slow to give workers a process group
//   SHIM_FOLDERS the folders to fill, separated by colons
//   SHIM_LOG     a file of 64 KiB; receives a line for each step. It is mapped at the start, because a
//                confined process can open no file.
//
// Built by the tests: clang -shared -fPIC -o worker.so worker.c
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#define NEXT(name) ((__typeof__(&name))dlsym(RTLD_NEXT, #name))

enum { log_size = 65536, children = 10, block = 1 << 20, leaks = 100, blocks = 8 };

// The number of bytes in the log, then the text. All processes share it.
static struct {
  _Atomic unsigned length;
  char text[log_size - sizeof(unsigned)];
} *record;

static int names(const char *variable, const char *word) {
  const char *list = getenv(variable);
  return list && strstr(list, word);
}

__attribute__((format(printf, 1, 2))) static void note(const char *format, ...) {
  char line[256];
  va_list list;
  va_start(list, format);
  int length = vsnprintf(line, sizeof line, format, list);
  va_end(list);
  if (!record || length < 0 || length >= (int)sizeof line) return;
  unsigned start = atomic_fetch_add(&record->length, (unsigned)length);
  if (start + (unsigned)length <= sizeof record->text)
    memcpy(record->text + start, line, (size_t)length);
}

__attribute__((constructor)) static void begin(void) {
  const char *path = getenv("SHIM_LOG");
  int file = path ? open(path, O_RDWR | O_CLOEXEC) : -1;
  if (file < 0) return;
  void *bytes = mmap(NULL, log_size, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  if (bytes != MAP_FAILED) record = bytes;
  close(file);
}

// MARK: The kernel

int seccomp_load(void *filter) {
  // What libseccomp reports where the kernel has no filters.
  if (names("SHIM_LACKS", "seccomp")) return -EINVAL;
  return ((int (*)(void *))dlsym(RTLD_NEXT, "seccomp_load"))(filter);
}

// libheif's, with its number of HEVC.
int heif_have_encoder_for_format(int codec) {
  if (codec == 1 && names("SHIM_LACKS", "hevc")) return 0;
  return NEXT(heif_have_encoder_for_format)(codec);
}

// All arguments of a call fit into six words.
long syscall(long number, ...) {
  va_list list;
  long words[6];
  va_start(list, number);
  for (int index = 0; index < 6; index++) words[index] = va_arg(list, long);
  va_end(list);
  if (number == SYS_landlock_create_ruleset && names("SHIM_LACKS", "landlock")) {
    errno = ENOSYS;
    return -1;
  }
  return NEXT(syscall)(number, words[0], words[1], words[2], words[3], words[4], words[5]);
}

// MARK: The decoder

static void start_processes(void) {
  for (int index = 0; index < children; index++) {
    pid_t pid = fork();
    if (pid < 0) note("fork: %s\n", strerrorname_np(errno));
    if (pid > 0) note("child %d\n", (int)pid);
    while (pid == 0) pause();
  }
}

static void fill(const char *folder) {
  static char bytes[block];
  char path[4096];
  snprintf(path, sizeof path, "%s/filled-%d", folder, (int)getpid());
  int file = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
  if (file < 0) {
    note("create: %s\n", strerrorname_np(errno));
    return;
  }
  int count = 0;
  while (count < blocks && write(file, bytes, block) == block) count++;
  // The last byte of a terabyte, which takes no space.
  ssize_t last = pwrite(file, bytes, 1, (1LL << 40) - 1);
  note("wrote %d MiB, a terabyte: %s\n", count, last == 1 ? "done" : strerrorname_np(errno));
  close(file);
}

static void fill_all(void) {
  char list[4096], *rest = list, *folder;
  snprintf(list, sizeof list, "%s", getenv("SHIM_FOLDERS") ? getenv("SHIM_FOLDERS") : "");
  while ((folder = strsep(&rest, ":"))) fill(folder);
}

// Whether an image has been decoded.
static int acted;

int pthread_create(pthread_t *thread, const pthread_attr_t *attributes, void *(*body)(void *),
                   void *argument) {
  // What a stack for which there is no memory results in.
  if (acted && names("SHIM_DOES", "crowd")) return EAGAIN;
  return NEXT(pthread_create)(thread, attributes, body, argument);
}

int setpgid(pid_t process, pid_t group) {
  if (process && names("SHIM_DOES", "late")) usleep(500000);
  return NEXT(setpgid)(process, group);
}

static void act(void) {
  acted = 1;
  note("worker %d\n", (int)getpid());
  if (names("SHIM_DOES", "leak")) {
    // Not touched: the limit is on address space. In small parts, so that nothing is left at the end.
    int count = 0;
    // A compiler removes an allocation that nothing uses, unless it can't see what is called.
    void *(*volatile allocate)(size_t) = malloc;
    while (count < leaks && allocate(block)) count++;
    note("leaked %d MiB\n", count);
  }
  if (names("SHIM_DOES", "fork")) start_processes();
  if (names("SHIM_DOES", "fill")) fill_all();
  if (names("SHIM_DOES", "die")) raise(SIGKILL);
  while (names("SHIM_DOES", "sleep")) pause();
}

// Its options are up to three pairs of a name and a number (Sources/CVips/shim.h), then NULL.
int vips_jpegload_buffer(void *bytes, size_t length, void **out, ...) {
  const char *name[3] = {0};
  int value[3] = {0};
  va_list list;
  va_start(list, out);
  for (int index = 0; index < 3 && (name[index] = va_arg(list, const char *)); index++)
    value[index] = va_arg(list, int);
  va_end(list);
  act();
  return ((int (*)(void *, size_t, void **, ...))dlsym(RTLD_NEXT, "vips_jpegload_buffer"))(
      bytes, length, out, name[0], value[0], name[1], value[1], name[2], value[2], NULL);
}
