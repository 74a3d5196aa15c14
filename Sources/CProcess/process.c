#define _GNU_SOURCE
#include "include/tessera_process.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/openat2.h>
#include <sched.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <unistd.h>

static int argument_count;
static char **argument_values;

// glibc hands main's parameters to constructors, too (elf/dl-init.c).
__attribute__((constructor)) static void keep_arguments(int count, char **values)
{
    argument_count = count;
    argument_values = values;
}

int tessera_argument_count(void) { return argument_count; }

const char *tessera_argument(int index) { return argument_values[index]; }

void tessera_keep_freed_memory(size_t bytes) {
  // It keeps twice the size of the largest block that it has mapped and freed (mallopt(3), M_MMAP_THRESHOLD). To set the
  // number itself would end this adjustment for larger blocks.
  void *volatile block = malloc(bytes / 2);
  free(block);
}

int tessera_spawn(const char *path, char *const arguments[], char *const environment[],
                  int channel, int error_output, pid_t *pid) {
  posix_spawn_file_actions_t actions;
  posix_spawnattr_t attributes;
  int error = posix_spawn_file_actions_init(&actions);
  if (error) return error;
  error = posix_spawnattr_init(&attributes);
  if (error) {
    posix_spawn_file_actions_destroy(&actions);
    return error;
  }
  // A child must not inherit the signals that this process ignores or blocks (SIGPIPE, SIGINT,
  // SIGTERM). In a process group of its own it does not receive the terminal's Ctrl-C: the
  // coordinator decides when a worker ends.
  sigset_t none, every;
  sigemptyset(&none);
  sigfillset(&every);
  error = posix_spawnattr_setsigmask(&attributes, &none);
  if (!error) error = posix_spawnattr_setsigdefault(&attributes, &every);
  if (!error) error = posix_spawnattr_setpgroup(&attributes, 0);
  if (!error)
    error = posix_spawnattr_setflags(
        &attributes, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETPGROUP);
  if (!error) error = posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
  if (!error) error = posix_spawn_file_actions_addopen(&actions, 1, "/dev/null", O_WRONLY, 0);
  if (!error) error = posix_spawn_file_actions_adddup2(&actions, error_output, 2);
  if (!error) error = posix_spawn_file_actions_adddup2(&actions, channel, 3);
  if (!error) error = posix_spawn_file_actions_addclosefrom_np(&actions, 4);
  if (!error) error = posix_spawn(pid, path, &actions, &attributes, arguments, environment);
  posix_spawnattr_destroy(&attributes);
  posix_spawn_file_actions_destroy(&actions);
  return error;
}

int tessera_die_with_parent(void) { return prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0); }

static int limit(int resource, rlim_t value) {
  struct rlimit limit;
  if (getrlimit(resource, &limit)) return errno;
  // A hard limit can only be lowered.
  if (limit.rlim_max != RLIM_INFINITY && value > limit.rlim_max) value = limit.rlim_max;
  limit = (struct rlimit){value, value};
  return setrlimit(resource, &limit) ? errno : 0;
}

int tessera_limit_memory(uint64_t bytes) {
  // A core dump would contain an untrusted image, and could fill the disk.
  int error = limit(RLIMIT_CORE, 0);
  if (!error) error = limit(RLIMIT_AS, bytes);
  // A file is made in memory, so none can be longer than the memory.
  if (!error) error = limit(RLIMIT_FSIZE, bytes);
  // The kernel counts all tasks of the user, not those of this process: a number that only a flood
  // of threads reaches.
  if (!error) error = limit(RLIMIT_NPROC, 8192);
  return error;
}

int tessera_limit_time(uint64_t seconds) {
  // Called before each job, by one thread: the highest limit is only read once.
  static struct rlimit limit;
  static int is_known;
  struct rusage usage;
  if (!is_known && getrlimit(RLIMIT_CPU, &limit)) return errno;
  is_known = 1;
  // RLIMIT_CPU counts from the start of the process, so the time used so far is added.
  if (getrusage(RUSAGE_SELF, &usage)) return errno;
  limit.rlim_cur = (rlim_t)(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec + 1) + seconds;
  if (limit.rlim_max != RLIM_INFINITY && limit.rlim_cur > limit.rlim_max)
    limit.rlim_cur = limit.rlim_max;
  return setrlimit(RLIMIT_CPU, &limit) ? errno : 0;
}

void tessera_end_first(void) {
  int file = open("/proc/self/oom_score_adj", O_WRONLY | O_CLOEXEC);
  if (file < 0) return;
  // 1000 is "first of all" (proc_pid_oom_score_adj(5)). Raising it needs no privilege; a failure
  // leaves the kernel's own choice.
  ssize_t written = write(file, "1000", 4);
  (void)written;
  close(file);
}

pid_t tessera_fork(void) { return fork(); }

int tessera_process_descriptor(pid_t pid) { return (int)syscall(SYS_pidfd_open, pid, 0); }

int tessera_keep_descriptor(int descriptor, int target) {
  if (descriptor != target && dup2(descriptor, target) < 0) return errno;
  return close_range((unsigned)target + 1, ~0U, 0) ? errno : 0;
}

int tessera_threads(void) {
  struct stat status;
  // A directory's link count: ".", ".." and one for each thread.
  return stat("/proc/self/task", &status) ? -1 : (int)status.st_nlink - 2;
}

enum { maximum_descriptors = 8 };

ssize_t tessera_send(int socket, const void *bytes, size_t length, const int descriptors[],
                     int count, int flags) {
  struct iovec data = {(void *)bytes, length};
  union {
    char space[CMSG_SPACE(maximum_descriptors * sizeof(int))];
    struct cmsghdr alignment;
  } control;
  struct msghdr message = {.msg_iov = &data, .msg_iovlen = 1};
  if (count > 0) {
    memset(&control, 0, sizeof control);
    message.msg_control = &control;
    message.msg_controllen = CMSG_SPACE((size_t)count * sizeof(int));
    struct cmsghdr *header = CMSG_FIRSTHDR(&message);
    header->cmsg_level = SOL_SOCKET;
    header->cmsg_type = SCM_RIGHTS;
    header->cmsg_len = CMSG_LEN((size_t)count * sizeof(int));
    memcpy(CMSG_DATA(header), descriptors, (size_t)count * sizeof(int));
  }
  return sendmsg(socket, &message, flags | MSG_NOSIGNAL);
}

ssize_t tessera_receive(int socket, void *bytes, size_t length, int descriptors[], int *count) {
  struct iovec data = {bytes, length};
  union {
    char space[CMSG_SPACE(maximum_descriptors * sizeof(int))];
    struct cmsghdr alignment;
  } control;
  struct msghdr message = {
      .msg_iov = &data,
      .msg_iovlen = 1,
      .msg_control = &control,
      .msg_controllen = sizeof control,
  };
  *count = 0;
  ssize_t received = recvmsg(socket, &message, MSG_CMSG_CLOEXEC);
  if (received < 0) return received;
  struct cmsghdr *header = CMSG_FIRSTHDR(&message);
  if (header && header->cmsg_level == SOL_SOCKET && header->cmsg_type == SCM_RIGHTS) {
    size_t size = header->cmsg_len - CMSG_LEN(0);
    memcpy(descriptors, CMSG_DATA(header), size);
    *count = (int)(size / sizeof(int));
  }
  return received;
}

int tessera_memory_file(void) {
  return memfd_create("tessera", MFD_CLOEXEC | MFD_ALLOW_SEALING);
}

int tessera_seal(int descriptor) {
  int seals = F_SEAL_SEAL | F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_WRITE;
  return fcntl(descriptor, F_ADD_SEALS, seals) ? errno : 0;
}

int tessera_lock_file(int descriptor, int is_shared) {
  int result;
  do {
    result = flock(descriptor, (is_shared ? LOCK_SH : LOCK_EX) | LOCK_NB);
  } while (result && errno == EINTR);
  return result ? errno : 0;
}

void tessera_unlock_file(int descriptor) { flock(descriptor, LOCK_UN); }

int tessera_open(const char *path, int flags, mode_t mode) {
  int descriptor;
  do {
    descriptor = open(path, flags | O_CLOEXEC, mode);
  } while (descriptor < 0 && errno == EINTR);
  return descriptor;
}

int tessera_open_at(int directory, const char *path, int flags, mode_t mode) {
  int descriptor;
  do {
    descriptor = openat(directory, path, flags | O_CLOEXEC, mode);
  } while (descriptor < 0 && errno == EINTR);
  return descriptor;
}

int tessera_open_folder(int directory, const char *path, int flags) {
  return tessera_open_at(directory, path, O_PATH | O_DIRECTORY | flags, 0);
}

int tessera_open_beneath(int directory, const char *path) {
  struct open_how how = {
      .flags = O_PATH | O_DIRECTORY | O_CLOEXEC,
      .resolve = RESOLVE_BENEATH | RESOLVE_NO_SYMLINKS,
  };
  return (int)syscall(SYS_openat2, directory, path, &how, sizeof how);
}

int tessera_exchange(int directory, const char *name, int other_directory, const char *other_name) {
  return renameat2(directory, name, other_directory, other_name, RENAME_EXCHANGE);
}

int tessera_sync_file_system(int descriptor) { return syncfs(descriptor); }

const char *tessera_loaded_file(const void *address) {
  Dl_info information;
  return dladdr(address, &information) ? information.dli_fname : NULL;
}

void tessera_fill_standard_streams(void) {
  for (int descriptor = 0; descriptor <= 2; descriptor++) {
    if (fcntl(descriptor, F_GETFD) >= 0 || errno != EBADF) continue;
    // open() returns the lowest free descriptor, which is this one. The direction is the wrong one
    // on purpose, so that using it is an error.
    if (open("/dev/null", descriptor == 0 ? O_WRONLY : O_RDONLY) < 0) return;
  }
}

uint64_t tessera_peak_memory(void) {
  struct rusage usage;
  if (getrusage(RUSAGE_SELF, &usage)) return 0;
  return (uint64_t)usage.ru_maxrss * 1024;  // Linux counts in kibibytes
}

int tessera_terminal_width(int descriptor) {
  struct winsize size;
  if (!isatty(descriptor)) return 0;
  // Terminals without a known size (serial lines, some containers) count as 80 columns.
  if (ioctl(descriptor, TIOCGWINSZ, &size) || size.ws_col == 0) return 80;
  return size.ws_col;
}

int tessera_usable_processors(void) {
  cpu_set_t set;
  if (sched_getaffinity(0, sizeof set, &set)) return 1;
  int count = CPU_COUNT(&set);
  return count > 0 ? count : 1;
}
