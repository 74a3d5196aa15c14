#define _GNU_SOURCE
#include "include/tessera_sandbox.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/capability.h>
#include <linux/landlock.h>
#include <linux/prctl.h>
#include <sched.h>
#include <seccomp.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

// Rights that are newer than the headers of Debian 12 (Linux 6.1); values from the kernel's
// Documentation/userspace-api/landlock.rst.
#define RIGHT_REFER (1ULL << 13)     // version 2
#define RIGHT_TRUNCATE (1ULL << 14)  // version 3
#define RIGHT_IOCTL (1ULL << 15)     // version 5

#define NETWORK (3ULL)               // bind and connect: version 4
#define SCOPES (3ULL)                // abstract sockets and signals: version 6

// The kernel's struct landlock_ruleset_attr with the members of versions 4 and 6. An older kernel is
// handed the first member only.
struct ruleset {
  uint64_t files;
  uint64_t network;
  uint64_t scopes;
};

// Executing maps shared libraries, too.
static const uint64_t reading =
    LANDLOCK_ACCESS_FS_READ_FILE | LANDLOCK_ACCESS_FS_READ_DIR | LANDLOCK_ACCESS_FS_EXECUTE;
// All rights of the first version.
static const uint64_t first_version = (1ULL << 13) - 1;

static int allow(int ruleset, const char *path) {
  int descriptor = open(path, O_PATH | O_CLOEXEC);
  // Folders differ between distributions: a missing or unreadable one needs no rule.
  if (descriptor < 0) return errno == ENOENT || errno == EACCES ? 0 : errno;
  struct stat status;
  int error = fstat(descriptor, &status) ? errno : 0;
  if (!error) {
    struct landlock_path_beneath_attr rule = {
        // The kernel rejects a rule that gives a file rights of a directory.
        .allowed_access = S_ISDIR(status.st_mode) ? reading : LANDLOCK_ACCESS_FS_READ_FILE,
        .parent_fd = descriptor,
    };
    if (syscall(SYS_landlock_add_rule, ruleset, LANDLOCK_RULE_PATH_BENEATH, &rule, 0)) error = errno;
  }
  close(descriptor);
  return error;
}

int tessera_drop_privileges(void) {
  if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0)) return errno;
  if (prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0)) return errno;
  struct __user_cap_header_struct header = {.version = _LINUX_CAPABILITY_VERSION_3};
  struct __user_cap_data_struct none[2] = {{0}, {0}};
  return syscall(SYS_capset, &header, none) ? errno : 0;
}

int tessera_confine_files(const char *const readable[]) {
  long version =
      syscall(SYS_landlock_create_ruleset, NULL, 0, LANDLOCK_CREATE_RULESET_VERSION);
  // Containers whose filter does not list the call answer EPERM.
  if (version < 0) return errno == ENOSYS || errno == EOPNOTSUPP || errno == EPERM ? 0 : -errno;
  struct ruleset handled = {.files = first_version};
  size_t size = sizeof handled.files;
  if (version >= 2) handled.files |= RIGHT_REFER;
  if (version >= 3) handled.files |= RIGHT_TRUNCATE;
  if (version >= 4) {
    handled.network = NETWORK;
    size += sizeof handled.network;
  }
  if (version >= 5) handled.files |= RIGHT_IOCTL;
  if (version >= 6) {
    handled.scopes = SCOPES;
    size += sizeof handled.scopes;
  }
  int ruleset = (int)syscall(SYS_landlock_create_ruleset, &handled, size, 0);
  if (ruleset < 0) return -errno;
  int error = 0;
  for (size_t index = 0; !error && readable[index]; index++)
    error = allow(ruleset, readable[index]);
  if (!error && prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0)) error = errno;
  if (!error && syscall(SYS_landlock_restrict_self, ruleset, 0)) error = errno;
  close(ruleset);
  return error ? -error : (int)version;
}

// Loads a filter and releases it.
static int load(scmp_filter_ctx filter, int error) {
  if (!error) error = seccomp_load(filter);
  seccomp_release(filter);
  // libseccomp reports every rejection by the kernel as ECANCELED; a container may deny filters,
  // too.
  if (error == -EINVAL || error == -ECANCELED || error == -EPERM || error == -EACCES) return ENOSYS;
  return -error;
}

int tessera_confine_server(void) {
  static const int allowed[] = {
      // Memory, and threads: their stacks, locks and ends. rseq, set_robust_list: glibc, per thread.
      SCMP_SYS(brk), SCMP_SYS(mmap), SCMP_SYS(munmap), SCMP_SYS(mremap), SCMP_SYS(mprotect),
      SCMP_SYS(madvise), SCMP_SYS(clone), SCMP_SYS(futex), SCMP_SYS(rseq),
      SCMP_SYS(set_robust_list), SCMP_SYS(get_robust_list), SCMP_SYS(exit), SCMP_SYS(exit_group),
      SCMP_SYS(sched_yield), SCMP_SYS(sched_getaffinity), SCMP_SYS(membarrier),
      // Descriptors that are open, and fonts.
      SCMP_SYS(read), SCMP_SYS(readv), SCMP_SYS(pread64), SCMP_SYS(write), SCMP_SYS(writev),
      SCMP_SYS(pwrite64), SCMP_SYS(lseek), SCMP_SYS(fstat), SCMP_SYS(newfstatat), SCMP_SYS(stat),
      SCMP_SYS(lstat), SCMP_SYS(statx), SCMP_SYS(fstatfs), SCMP_SYS(statfs), SCMP_SYS(open),
      SCMP_SYS(openat), SCMP_SYS(access), SCMP_SYS(faccessat), SCMP_SYS(faccessat2),
      SCMP_SYS(readlink), SCMP_SYS(readlinkat), SCMP_SYS(getdents64), SCMP_SYS(getcwd),
      SCMP_SYS(close), SCMP_SYS(close_range), SCMP_SYS(dup), SCMP_SYS(dup2), SCMP_SYS(dup3),
      SCMP_SYS(fcntl), SCMP_SYS(poll), SCMP_SYS(ppoll),
      // The channels.
      SCMP_SYS(recvfrom), SCMP_SYS(recvmsg), SCMP_SYS(sendto), SCMP_SYS(sendmsg), SCMP_SYS(shutdown),
      // Time, signals of its own, limits of its own, facts.
      SCMP_SYS(clock_gettime), SCMP_SYS(clock_getres), SCMP_SYS(gettimeofday), SCMP_SYS(time),
      SCMP_SYS(clock_nanosleep), SCMP_SYS(nanosleep), SCMP_SYS(rt_sigaction),
      SCMP_SYS(rt_sigprocmask), SCMP_SYS(rt_sigreturn), SCMP_SYS(sigaltstack),
      SCMP_SYS(restart_syscall), SCMP_SYS(getpid), SCMP_SYS(getppid), SCMP_SYS(gettid),
      SCMP_SYS(getuid), SCMP_SYS(geteuid), SCMP_SYS(getgid), SCMP_SYS(getegid), SCMP_SYS(getrandom),
      SCMP_SYS(getrusage), SCMP_SYS(getrlimit), SCMP_SYS(setrlimit), SCMP_SYS(uname),
      SCMP_SYS(sysinfo), SCMP_SYS(prctl), SCMP_SYS(seccomp),
      // The fork server: see tessera_confine_worker.
      SCMP_SYS(wait4), SCMP_SYS(kill), SCMP_SYS(setpgid), SCMP_SYS(pidfd_open),
      // abort() in any of them.
      SCMP_SYS(tgkill),
  };
  scmp_filter_ctx filter = seccomp_init(SCMP_ACT_ERRNO(EPERM));
  if (!filter) return ENOMEM;
  int error = 0;
  for (size_t index = 0; !error && index < sizeof allowed / sizeof *allowed; index++) {
    error = seccomp_rule_add(filter, SCMP_ACT_ALLOW, allowed[index], 0);
    // Not every architecture has every call.
    if (error == -EDOM) error = 0;
  }
  // glibc falls back to clone from clone3, whose flags a filter cannot see because they are behind a
  // pointer.
  if (!error) error = seccomp_rule_add(filter, SCMP_ACT_ERRNO(ENOSYS), SCMP_SYS(clone3), 0);
  // Limits may be changed for the process itself only.
  if (!error)
    error = seccomp_rule_add(filter, SCMP_ACT_ALLOW, SCMP_SYS(prlimit64), 1,
                             SCMP_A0(SCMP_CMP_EQ, 0));
  return load(filter, error);
}

int tessera_confine_worker(void) {
  scmp_filter_ctx filter = seccomp_init(SCMP_ACT_ALLOW);
  if (!filter) return ENOMEM;
  const uint32_t deny = SCMP_ACT_ERRNO(EPERM);
  // Threads need clone, processes do not.
  int error = seccomp_rule_add(filter, deny, SCMP_SYS(clone), 1,
                               SCMP_A0(SCMP_CMP_MASKED_EQ, CLONE_THREAD, 0));
  // abort() signals a thread of its own process with tgkill.
  if (!error)
    error = seccomp_rule_add(filter, deny, SCMP_SYS(tgkill), 1,
                             SCMP_A0(SCMP_CMP_NE, (scmp_datum_t)getpid()));
  if (!error) error = seccomp_rule_add(filter, deny, SCMP_SYS(kill), 0);
  if (!error) error = seccomp_rule_add(filter, deny, SCMP_SYS(wait4), 0);
  if (!error) error = seccomp_rule_add(filter, deny, SCMP_SYS(setpgid), 0);
  if (!error) error = seccomp_rule_add(filter, deny, SCMP_SYS(pidfd_open), 0);
  // A descriptor can have the kernel send any signal to any process of the user (fcntl(2), F_SETOWN).
  // Landlock prevents that only from version 6 on.
  static const int owners[] = {F_SETOWN, F_SETOWN_EX, F_SETSIG};
  for (size_t index = 0; !error && index < sizeof owners / sizeof *owners; index++)
    error = seccomp_rule_add(filter, deny, SCMP_SYS(fcntl), 1,
                             SCMP_A1(SCMP_CMP_EQ, (scmp_datum_t)owners[index]));
  // A worker writes to descriptors that it was given. Landlock says the same of files, where there is
  // Landlock.
  static const scmp_datum_t writing[] = {O_WRONLY, O_RDWR, O_CREAT, O_TRUNC};
  for (size_t index = 0; !error && index < sizeof writing / sizeof *writing; index++) {
    error = seccomp_rule_add(filter, deny, SCMP_SYS(openat), 1,
                             SCMP_A2(SCMP_CMP_MASKED_EQ, writing[index], writing[index]));
    if (error) break;
    error = seccomp_rule_add(filter, deny, SCMP_SYS(open), 1,
                             SCMP_A1(SCMP_CMP_MASKED_EQ, writing[index], writing[index]));
    if (error == -EDOM) error = 0;
  }
  // It would outlive the fork server.
  if (!error)
    error = seccomp_rule_add(filter, deny, SCMP_SYS(prctl), 1,
                             SCMP_A0(SCMP_CMP_EQ, PR_SET_PDEATHSIG));
  // A worker receives descriptors and sends none.
  if (!error) error = seccomp_rule_add(filter, deny, SCMP_SYS(sendmsg), 0);
  return load(filter, error);
}
