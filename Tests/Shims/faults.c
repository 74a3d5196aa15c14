// Simulates failing disks, power cuts and kills. Preloaded into a program (LD_PRELOAD), it intercepts
// file operations below one folder.
//
//   SHIM_ROOT    the folder
//   SHIM_CALLS   the calls that are counted and fail: write, sync, rename, link, unlink (also rmdir),
//                mkdir, truncate, allocate, copy, attribute, create (opening with O_CREAT or O_TRUNC), open
//                (any opening), list (the next name of a folder); separated by commas. `change` stands for all but list and the other openings:
//                every call that changes the disk. `openat2` is that call alone, whatever it opens.
//   SHIM_ERROR   how they fail: an errno; "short" (a write is partial); "interrupt" (every other call
//                fails with EINTR first); "kill" (the process is killed right before the call)
//   SHIM_AT      the first call that fails, from 1
//   SHIM_FOR     how many calls fail; 0 means all that follow
//   SHIM_COUNT   a file that receives the number of calls, when the process exits
//   SHIM_IMAGE   a folder that receives what a power cut would leave: after each fsync, fdatasync or
//                syncfs, the synced bytes under their inode number, and for a folder the list of its
//                names. What exists when the program starts counts as on the disk.
//   SHIM_HANG    a folder; reading a file in it never returns, as on a mount whose server is gone
//   SHIM_BOOT    a file to read instead of /proc/sys/kernel/random/boot_id
//
// Built by the tests: clang -shared -fPIC -o faults.so faults.c
#define _GNU_SOURCE
#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/openat2.h>
#include <ftw.h>
#include <limits.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

#define NEXT(name) ((__typeof__(&name))dlsym(RTLD_NEXT, #name))

static atomic_long count;
static _Thread_local int toggle;
static _Thread_local int inside;

static int is_below(const char *path) {
  const char *root = getenv("SHIM_ROOT");
  return root && strncmp(path, root, strlen(root)) == 0;
}

static int has_path(int descriptor, char path[PATH_MAX]) {
  char link[64];
  snprintf(link, sizeof link, "/proc/self/fd/%d", descriptor);
  ssize_t length = readlink(link, path, PATH_MAX - 1);
  if (length <= 0) return 0;
  path[length] = 0;
  return 1;
}

static int is_file_below(int descriptor) {
  char path[PATH_MAX];
  return has_path(descriptor, path) && is_below(path);
}

// The folder decides for a path that is relative to it.
static int is_below_at(int directory, const char *path) {
  if (path[0] == '/' || directory == AT_FDCWD) return is_below(path);
  return is_file_below(directory);
}

static int is_listed(const char *call) {
  const char *calls = getenv("SHIM_CALLS");
  if (!calls) return 0;
  const char *found = strstr(calls, call);
  return found && (found == calls || found[-1] == ',') &&
         (found[strlen(call)] == 0 || found[strlen(call)] == ',');
}

static int is_meant(const char *call) {
  return is_listed(call) || (strncmp(call, "open", 4) && strcmp(call, "list") && is_listed("change")) ||
         (strcmp(call, "create") == 0 && is_listed("open"));
}

enum verdict { GO_ON, FAIL, SHORT };

// Decides whether this call fails. Sets errno.
static enum verdict judge(const char *call) {
  if (inside || !is_meant(call)) return GO_ON;
  const char *error = getenv("SHIM_ERROR");
  long at = getenv("SHIM_AT") ? atol(getenv("SHIM_AT")) : 1;
  long length = getenv("SHIM_FOR") ? atol(getenv("SHIM_FOR")) : 1;
  long number = atomic_fetch_add(&count, 1) + 1;
  if (!error || number < at || (length && number >= at + length)) return GO_ON;
  if (strcmp(error, "kill") == 0) kill(getpid(), SIGKILL);
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

// MARK: Calls on descriptors

// Defines a call on the open file `file` that passes `arguments` on. A partial write sets `length`.
#define ON_FILE(kind, result, name, parameters, file, length, arguments)      \
  result name parameters {                                                    \
    if (is_file_below(file)) {                                                \
      enum verdict verdict = judge(kind);                                     \
      if (verdict == FAIL) return -1;                                         \
      if (verdict == SHORT && length > 1) length = (length + 1) / 2;          \
    }                                                                         \
    return NEXT(name) arguments;                                              \
  }

#define WRITE(name, ...) ON_FILE("write", ssize_t, name, __VA_ARGS__)
WRITE(write, (int file, const void *bytes, size_t length), file, length, (file, bytes, length))
WRITE(pwrite, (int file, const void *bytes, size_t length, off_t at), file, length,
      (file, bytes, length, at))
WRITE(pwrite64, (int file, const void *bytes, size_t length, off64_t at), file, length,
      (file, bytes, length, at))
// A partial one writes fewer parts.
WRITE(writev, (int file, const struct iovec *parts, int length), file, length,
      (file, parts, length))
WRITE(pwritev, (int file, const struct iovec *parts, int length, off_t at), file, length,
      (file, parts, length, at))
WRITE(pwritev64, (int file, const struct iovec *parts, int length, off64_t at), file, length,
      (file, parts, length, at))

#define COPY(name, ...) ON_FILE("copy", ssize_t, name, __VA_ARGS__)
COPY(copy_file_range, (int from, off64_t *start, int to, off64_t *at, size_t length, unsigned flags),
     to, length, (from, start, to, at, length, flags))
COPY(sendfile, (int to, int from, off_t *start, size_t length), to, length,
     (to, from, start, length))
COPY(sendfile64, (int to, int from, off64_t *start, size_t length), to, length,
     (to, from, start, length))

// Sizes and attributes are set as a whole.
#define CHANGE(kind, name, ...) ON_FILE(kind, int, name, __VA_ARGS__)
static int whole;
CHANGE("truncate", ftruncate, (int file, off_t size), file, whole, (file, size))
CHANGE("truncate", ftruncate64, (int file, off64_t size), file, whole, (file, size))
CHANGE("allocate", fallocate, (int file, int mode, off_t at, off_t size), file, whole,
       (file, mode, at, size))
CHANGE("allocate", fallocate64, (int file, int mode, off64_t at, off64_t size), file, whole,
       (file, mode, at, size))
CHANGE("attribute", fchmod, (int file, mode_t mode), file, whole, (file, mode))
CHANGE("attribute", fchown, (int file, uid_t user, gid_t group), file, whole, (file, user, group))
CHANGE("attribute", futimens, (int file, const struct timespec times[2]), file, whole, (file, times))

// These two return the error.
#define ALLOCATE(name, offset)                                                    \
  int name(int file, offset at, offset size) {                                    \
    if (is_file_below(file) && judge("allocate") == FAIL) return errno;           \
    return NEXT(name)(file, at, size);                                            \
  }
ALLOCATE(posix_fallocate, off_t)
ALLOCATE(posix_fallocate64, off64_t)

// MARK: Calls on paths

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
  const char *call = flags & (O_CREAT | O_TRUNC) ? "create" : "open";
  int is_meant_path = is_below_at(directory, path);
  if (is_meant_path && judge(call) == FAIL) return -1;
  int descriptor =
      is64 ? NEXT(openat64)(directory, path, flags, mode) : NEXT(openat)(directory, path, flags, mode);
  if (descriptor >= 0 && flags & O_CREAT && is_meant_path) forget(descriptor);
  return descriptor;
}

#define MODE(flags)                                                           \
  va_list list;                                                               \
  va_start(list, flags);                                                      \
  mode_t mode = flags & (O_CREAT | O_TMPFILE) ? va_arg(list, mode_t) : 0;     \
  va_end(list);
#define OPEN(name, is64)                                                      \
  int name(const char *path, int flags, ...) {                                \
    MODE(flags)                                                               \
    return open_it(AT_FDCWD, path, flags, mode, is64);                        \
  }                                                                           \
  int name##at(int directory, const char *path, int flags, ...) {             \
    MODE(flags)                                                               \
    return open_it(directory, path, flags, mode, is64);                       \
  }
#define open64at openat64
OPEN(open, 0)
OPEN(open64, 1)

// openat2(2), for which this glibc has no function. All arguments of a call fit into six words.
long syscall(long number, ...) {
  static __typeof__(&syscall) next;
  if (!next) next = NEXT(syscall);
  va_list list;
  long words[6];
  va_start(list, number);
  for (int index = 0; index < 6; index++) words[index] = va_arg(list, long);
  va_end(list);
  int creates = 0;
  if (number == SYS_openat2 && is_below_at((int)words[0], (const char *)words[1])) {
    const struct open_how *how = (const struct open_how *)words[2];
    creates = (how->flags & O_CREAT) != 0;
    const char *call = how->flags & (O_CREAT | O_TRUNC) ? "create" : "open";
    if (judge("openat2") == FAIL || judge(call) == FAIL) return -1;
  }
  long result = next(number, words[0], words[1], words[2], words[3], words[4], words[5]);
  if (creates && result >= 0) forget((int)result);
  return result;
}

static void hang_in(int descriptor) {
  const char *folder = getenv("SHIM_HANG");
  char path[PATH_MAX];
  if (!folder || !has_path(descriptor, path) || strncmp(path, folder, strlen(folder))) return;
  for (;;) pause();
}

#define READ(name, parameters, arguments)                                     \
  ssize_t name parameters {                                                   \
    hang_in(file);                                                            \
    return NEXT(name) arguments;                                              \
  }
READ(read, (int file, void *bytes, size_t length), (file, bytes, length))
READ(pread, (int file, void *bytes, size_t length, off_t at), (file, bytes, length, at))
READ(pread64, (int file, void *bytes, size_t length, off64_t at), (file, bytes, length, at))

// Defines a call that reads the next name of a folder.
#define LIST(name, type)                                                      \
  struct type *name(DIR *folder) {                                            \
    char path[PATH_MAX];                                                      \
    if (has_path(dirfd(folder), path) && is_below(path) && judge("list") == FAIL) return NULL; \
    return NEXT(name)(folder);                                                \
  }
LIST(readdir, dirent)
LIST(readdir64, dirent64)

// Defines a call that changes what is at `path`, which is relative to `folder`.
#define ON_PATH(kind, result, failed, name, parameters, folder, path, arguments) \
  result name parameters {                                                    \
    if (is_below_at(folder, path) && judge(kind) == FAIL) return failed;      \
    return NEXT(name) arguments;                                              \
  }
#define AT(kind, ...) ON_PATH(kind, int, -1, __VA_ARGS__)
AT("create", creat, (const char *path, mode_t mode), AT_FDCWD, path, (path, mode))
AT("create", mkstemp, (char *path), AT_FDCWD, path, (path))
AT("create", mkostemp, (char *path, int flags), AT_FDCWD, path, (path, flags))
ON_PATH("mkdir", char *, NULL, mkdtemp, (char *path), AT_FDCWD, path, (path))
AT("mkdir", mkdir, (const char *path, mode_t mode), AT_FDCWD, path, (path, mode))
AT("mkdir", mkdirat, (int directory, const char *path, mode_t mode), directory, path, (directory, path, mode))
AT("rename", rename, (const char *old, const char *path), AT_FDCWD, path, (old, path))
AT("rename", renameat, (int from, const char *old, int to, const char *path), to, path,
   (from, old, to, path))
AT("rename", renameat2, (int from, const char *old, int to, const char *path, unsigned flags), to, path,
   (from, old, to, path, flags))
AT("link", link, (const char *old, const char *path), AT_FDCWD, path, (old, path))
AT("link", linkat, (int from, const char *old, int to, const char *path, int flags), to, path,
   (from, old, to, path, flags))
AT("link", symlink, (const char *old, const char *path), AT_FDCWD, path, (old, path))
AT("unlink", unlink, (const char *path), AT_FDCWD, path, (path))
AT("unlink", unlinkat, (int directory, const char *path, int flags), directory, path, (directory, path, flags))
AT("unlink", rmdir, (const char *path), AT_FDCWD, path, (path))
AT("unlink", remove, (const char *path), AT_FDCWD, path, (path))
AT("truncate", truncate, (const char *path, off_t size), AT_FDCWD, path, (path, size))
AT("attribute", chmod, (const char *path, mode_t mode), AT_FDCWD, path, (path, mode))
AT("attribute", utimensat,
   (int directory, const char *path, const struct timespec times[2], int flags), directory, path,
   (directory, path, times, flags))

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

__attribute__((destructor)) static void end(void) {
  if (!getenv("SHIM_COUNT")) return;
  FILE *file = fopen(getenv("SHIM_COUNT"), "w");
  if (!file) abort();
  fprintf(file, "%ld", atomic_load(&count));
  fclose(file);
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
