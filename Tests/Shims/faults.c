// Simulates failing disks and power cuts. Preloaded into a program (LD_PRELOAD), it intercepts file
// operations below one folder.
//
//   SHIM_ROOT    the folder
//   SHIM_CALLS   the calls that fail: write, sync, rename, open, unlink, mkdir; separated by commas
//   SHIM_ERROR   how they fail: an errno, "short" (a write is partial), "interrupt" (every other call
//                fails with EINTR first)
//   SHIM_AT      the first call that fails, from 1
//   SHIM_FOR     how many calls fail; 0 means all that follow
//   SHIM_IMAGE   a folder that receives what a power cut would leave: after each fsync, fdatasync or
//                syncfs, the synced bytes under their inode number, and for a folder the list of its
//                names. What exists when the program starts counts as on the disk.
//   SHIM_BOOT    a file to read instead of /proc/sys/kernel/random/boot_id
//
// Built by the tests: clang -shared -fPIC -o faults.so faults.c
#define _GNU_SOURCE
#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <limits.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define NEXT(name) ((__typeof__(&name))dlsym(RTLD_NEXT, #name))

static atomic_long count;
static _Thread_local int toggle;
static _Thread_local int inside;

static int is_below(const char *path) {
  const char *root = getenv("SHIM_ROOT");
  return root && strncmp(path, root, strlen(root)) == 0;
}

static int is_file_below(int descriptor) {
  char link[64], path[PATH_MAX];
  snprintf(link, sizeof link, "/proc/self/fd/%d", descriptor);
  ssize_t length = readlink(link, path, sizeof path - 1);
  if (length <= 0) return 0;
  path[length] = 0;
  return is_below(path);
}

static int is_meant(const char *call) {
  const char *calls = getenv("SHIM_CALLS");
  if (!calls) return 0;
  const char *found = strstr(calls, call);
  return found && (found == calls || found[-1] == ',') &&
         (found[strlen(call)] == 0 || found[strlen(call)] == ',');
}

enum verdict { GO_ON, FAIL, SHORT };

// Decides whether this call fails. Sets errno.
static enum verdict judge(const char *call) {
  if (inside || !is_meant(call)) return GO_ON;
  const char *error = getenv("SHIM_ERROR");
  if (!error) return GO_ON;
  long at = getenv("SHIM_AT") ? atol(getenv("SHIM_AT")) : 1;
  long length = getenv("SHIM_FOR") ? atol(getenv("SHIM_FOR")) : 1;
  long number = atomic_fetch_add(&count, 1) + 1;
  if (number < at || (length && number >= at + length)) return GO_ON;
  if (strcmp(error, "short") == 0) return SHORT;
  if (strcmp(error, "interrupt") == 0) {
    toggle = !toggle;
    if (!toggle) return GO_ON;
    errno = EINTR;
    return FAIL;
  }
  errno = atoi(error);
  return FAIL;
}

ssize_t write(int descriptor, const void *bytes, size_t length) {
  if (is_file_below(descriptor)) {
    enum verdict verdict = judge("write");
    if (verdict == FAIL) return -1;
    if (verdict == SHORT && length > 1) length = (length + 1) / 2;
  }
  return NEXT(write)(descriptor, bytes, length);
}

#define PWRITE(name, offset_type)                                                        \
  ssize_t name(int descriptor, const void *bytes, size_t length, offset_type offset) {   \
    if (is_file_below(descriptor)) {                                                     \
      enum verdict verdict = judge("write");                                             \
      if (verdict == FAIL) return -1;                                                    \
      if (verdict == SHORT && length > 1) length = (length + 1) / 2;                     \
    }                                                                                    \
    return NEXT(name)(descriptor, bytes, length, offset);                                \
  }
PWRITE(pwrite, off_t)
PWRITE(pwrite64, off64_t)

// A new file may reuse the inode number of a deleted one.
static void forget(int descriptor) {
  struct stat status;
  char kept[PATH_MAX];
  if (!getenv("SHIM_IMAGE") || fstat(descriptor, &status) || status.st_size) return;
  snprintf(kept, sizeof kept, "%s/%lu", getenv("SHIM_IMAGE"), (unsigned long)status.st_ino);
  NEXT(unlink)(kept);
}

static int open_it(int directory, const char *path, int flags, mode_t mode, int is64) {
  const char *boot = getenv("SHIM_BOOT");
  if (boot && strcmp(path, "/proc/sys/kernel/random/boot_id") == 0) path = boot;
  if (is_below(path) && judge("open") == FAIL) return -1;
  int descriptor =
      is64 ? NEXT(openat64)(directory, path, flags, mode) : NEXT(openat)(directory, path, flags, mode);
  if (descriptor >= 0 && flags & O_CREAT && is_below(path)) forget(descriptor);
  return descriptor;
}

#define OPEN(name, is64)                                                      \
  int name(const char *path, int flags, ...) {                                \
    va_list list;                                                             \
    va_start(list, flags);                                                    \
    mode_t mode = flags & (O_CREAT | O_TMPFILE) ? va_arg(list, mode_t) : 0;   \
    va_end(list);                                                             \
    return open_it(AT_FDCWD, path, flags, mode, is64);                        \
  }
OPEN(open, 0)
OPEN(open64, 1)

int rename(const char *old, const char *new) {
  if (is_below(new) && judge("rename") == FAIL) return -1;
  return NEXT(rename)(old, new);
}

int unlink(const char *path) {
  if (is_below(path) && judge("unlink") == FAIL) return -1;
  return NEXT(unlink)(path);
}

int mkdir(const char *path, mode_t mode) {
  if (is_below(path) && judge("mkdir") == FAIL) return -1;
  return NEXT(mkdir)(path, mode);
}

// MARK: Contents of the disk

static void keep_bytes(const char *path, const struct stat *status) {
  char kept[PATH_MAX], fresh[PATH_MAX + 8], buffer[65536];
  snprintf(kept, sizeof kept, "%s/%lu", getenv("SHIM_IMAGE"), (unsigned long)status->st_ino);
  snprintf(fresh, sizeof fresh, "%s.new", kept);
  int from = NEXT(open)(path, O_RDONLY), to = NEXT(open)(fresh, O_WRONLY | O_CREAT | O_TRUNC, 0600);
  ssize_t length;
  while (from >= 0 && to >= 0 && (length = read(from, buffer, sizeof buffer)) > 0)
    if (NEXT(write)(to, buffer, (size_t)length) != length) abort();
  if (from >= 0) close(from);
  if (to >= 0) close(to);
  if (from >= 0 && NEXT(rename)(fresh, kept)) abort();
}

static void keep_names(const char *path, const struct stat *status) {
  char kept[PATH_MAX], fresh[PATH_MAX + 8];
  snprintf(kept, sizeof kept, "%s/%lu", getenv("SHIM_IMAGE"), (unsigned long)status->st_ino);
  snprintf(fresh, sizeof fresh, "%s.new", kept);
  DIR *folder = opendir(path);
  FILE *list = fopen(fresh, "w");
  struct dirent *entry;
  while (folder && list && (entry = readdir(folder)))
    if (strcmp(entry->d_name, ".") && strcmp(entry->d_name, ".."))
      fprintf(list, "%c %lu %s\n", entry->d_type == DT_DIR ? 'd' : 'f', (unsigned long)entry->d_ino,
              entry->d_name);
  if (folder) closedir(folder);
  if (list) fclose(list);
  if (folder && NEXT(rename)(fresh, kept)) abort();
}

static int keep(const char *path, const struct stat *status, int kind, struct FTW *place) {
  (void)kind, (void)place;
  if (S_ISREG(status->st_mode)) keep_bytes(path, status);
  if (S_ISDIR(status->st_mode)) keep_names(path, status);
  return 0;
}

static void keep_all(void) {
  inside = 1;
  nftw(getenv("SHIM_ROOT"), keep, 16, FTW_PHYS);
  inside = 0;
}

__attribute__((constructor)) static void begin(void) {
  if (getenv("SHIM_IMAGE")) keep_all();
}

// Keeps one file or folder, or all of them.
static void keep_descriptor(int descriptor, int all) {
  if (!getenv("SHIM_IMAGE") || !is_file_below(descriptor) || inside) return;
  int error = errno;
  char link[64];
  struct stat status;
  snprintf(link, sizeof link, "/proc/self/fd/%d", descriptor);
  if (all) {
    keep_all();
  } else if (fstat(descriptor, &status) == 0) {
    inside = 1;
    keep(link, &status, 0, NULL);
    inside = 0;
  }
  errno = error;
}

#define SYNC(name, all)                                                   \
  int name(int descriptor) {                                              \
    if (is_file_below(descriptor) && judge("sync") == FAIL) return -1;    \
    int result = NEXT(name)(descriptor);                                  \
    if (result == 0) keep_descriptor(descriptor, all);                    \
    return result;                                                        \
  }
SYNC(fsync, 0)
SYNC(fdatasync, 0)
SYNC(syncfs, 1)
