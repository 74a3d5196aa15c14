#define _GNU_SOURCE
#include "include/tessera_process.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <spawn.h>
#include <sys/file.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/time.h>
#include <unistd.h>

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

int tessera_limit_self(uint64_t address_space, uint64_t processor_seconds) {
  struct rlimit limit;
  // A core dump would contain an untrusted image, and could fill the disk.
  if (setrlimit(RLIMIT_CORE, &(struct rlimit){0, 0})) return errno;
  if (address_space) {
    if (getrlimit(RLIMIT_AS, &limit)) return errno;
    limit.rlim_cur = address_space;
    if (limit.rlim_max != RLIM_INFINITY && limit.rlim_cur > limit.rlim_max)
      limit.rlim_cur = limit.rlim_max;
    if (setrlimit(RLIMIT_AS, &limit)) return errno;
  }
  if (processor_seconds) {
    // RLIMIT_CPU counts from the start of the process, so the time used so far is added.
    struct rusage usage;
    if (getrlimit(RLIMIT_CPU, &limit) || getrusage(RUSAGE_SELF, &usage)) return errno;
    limit.rlim_cur =
        (rlim_t)(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec + 1) + processor_seconds;
    if (limit.rlim_max != RLIM_INFINITY && limit.rlim_cur > limit.rlim_max)
      limit.rlim_cur = limit.rlim_max;
    if (setrlimit(RLIMIT_CPU, &limit)) return errno;
  }
  return 0;
}

int tessera_lock_file(int descriptor) {
  int result;
  do {
    result = flock(descriptor, LOCK_EX | LOCK_NB);
  } while (result && errno == EINTR);
  return result ? errno : 0;
}

int tessera_open(const char *path, int flags, mode_t mode) {
  int descriptor;
  do {
    descriptor = open(path, flags | O_CLOEXEC, mode);
  } while (descriptor < 0 && errno == EINTR);
  return descriptor;
}

int tessera_sync_file_system(int descriptor) { return syncfs(descriptor); }

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
