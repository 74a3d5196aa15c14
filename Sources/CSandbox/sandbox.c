#define _GNU_SOURCE
#include "include/tessera_sandbox.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/landlock.h>
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

static const uint64_t reading =
    LANDLOCK_ACCESS_FS_READ_FILE | LANDLOCK_ACCESS_FS_READ_DIR | LANDLOCK_ACCESS_FS_EXECUTE;
static const uint64_t writing =
    LANDLOCK_ACCESS_FS_WRITE_FILE | LANDLOCK_ACCESS_FS_MAKE_REG | RIGHT_TRUNCATE;
// All rights of the first version.
static const uint64_t first_version = (1ULL << 13) - 1;

static int allow(int ruleset, const char *path, uint64_t rights, uint64_t handled) {
  int descriptor = open(path, O_PATH | O_CLOEXEC);
  // Folders differ between distributions: a missing or unreadable one needs no rule.
  if (descriptor < 0) return errno == ENOENT || errno == EACCES ? 0 : errno;
  struct stat status;
  int error = fstat(descriptor, &status) ? errno : 0;
  if (!error) {
    // The kernel rejects a rule that gives a file rights of a directory.
    if (!S_ISDIR(status.st_mode))
      rights &= LANDLOCK_ACCESS_FS_READ_FILE | LANDLOCK_ACCESS_FS_WRITE_FILE | RIGHT_TRUNCATE;
    struct landlock_path_beneath_attr rule = {
        .allowed_access = rights & handled,
        .parent_fd = descriptor,
    };
    if (syscall(SYS_landlock_add_rule, ruleset, LANDLOCK_RULE_PATH_BENEATH, &rule, 0)) error = errno;
  }
  close(descriptor);
  return error;
}

int tessera_confine_files(const char *const readable[], const char *const writable[]) {
  long version =
      syscall(SYS_landlock_create_ruleset, NULL, 0, LANDLOCK_CREATE_RULESET_VERSION);
  // Containers whose filter does not list the call answer EPERM.
  if (version < 0) return errno == ENOSYS || errno == EOPNOTSUPP || errno == EPERM ? 0 : -errno;
  struct landlock_ruleset_attr attributes = {.handled_access_fs = first_version};
  if (version >= 2) attributes.handled_access_fs |= RIGHT_REFER;
  if (version >= 3) attributes.handled_access_fs |= RIGHT_TRUNCATE;
  if (version >= 5) attributes.handled_access_fs |= RIGHT_IOCTL;
  uint64_t handled = attributes.handled_access_fs;
  int ruleset = (int)syscall(SYS_landlock_create_ruleset, &attributes, sizeof attributes, 0);
  if (ruleset < 0) return -errno;
  int error = 0;
  for (size_t index = 0; !error && readable[index]; index++)
    error = allow(ruleset, readable[index], reading, handled);
  for (size_t index = 0; !error && writable[index]; index++)
    error = allow(ruleset, writable[index], reading | writing, handled);
  if (!error && prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0)) error = errno;
  if (!error && syscall(SYS_landlock_restrict_self, ruleset, 0)) error = errno;
  close(ruleset);
  return error ? -error : (int)version;
}

int tessera_confine_calls(void) {
  // What a compromised codec would request. All other calls work on memory, on files that Landlock
  // protects, and on descriptors that are open already.
  static const int denied[] = {
      SCMP_SYS(socket), SCMP_SYS(socketpair), SCMP_SYS(connect), SCMP_SYS(bind), SCMP_SYS(listen),
      SCMP_SYS(accept), SCMP_SYS(accept4), SCMP_SYS(execve), SCMP_SYS(execveat), SCMP_SYS(fork),
      SCMP_SYS(vfork), SCMP_SYS(ptrace), SCMP_SYS(process_vm_readv), SCMP_SYS(process_vm_writev),
      SCMP_SYS(kill), SCMP_SYS(tkill), SCMP_SYS(rt_sigqueueinfo), SCMP_SYS(rt_tgsigqueueinfo),
      SCMP_SYS(pidfd_open), SCMP_SYS(pidfd_getfd), SCMP_SYS(pidfd_send_signal), SCMP_SYS(unshare),
      SCMP_SYS(setns), SCMP_SYS(mount), SCMP_SYS(umount2), SCMP_SYS(pivot_root), SCMP_SYS(chroot),
      SCMP_SYS(open_by_handle_at), SCMP_SYS(name_to_handle_at), SCMP_SYS(bpf), SCMP_SYS(userfaultfd),
      SCMP_SYS(perf_event_open), SCMP_SYS(io_uring_setup), SCMP_SYS(keyctl), SCMP_SYS(add_key),
      SCMP_SYS(request_key), SCMP_SYS(init_module), SCMP_SYS(finit_module), SCMP_SYS(delete_module),
      SCMP_SYS(kexec_load), SCMP_SYS(reboot), SCMP_SYS(swapon), SCMP_SYS(swapoff),
      SCMP_SYS(chmod), SCMP_SYS(fchmod), SCMP_SYS(fchmodat), SCMP_SYS(chown), SCMP_SYS(fchown),
      SCMP_SYS(fchownat), SCMP_SYS(lchown), SCMP_SYS(setxattr), SCMP_SYS(lsetxattr),
      SCMP_SYS(fsetxattr), SCMP_SYS(removexattr), SCMP_SYS(utime), SCMP_SYS(utimes),
      SCMP_SYS(futimesat), SCMP_SYS(utimensat), SCMP_SYS(truncate),
  };
  scmp_filter_ctx filter = seccomp_init(SCMP_ACT_ALLOW);
  if (!filter) return ENOMEM;
  int error = 0;
  for (size_t index = 0; !error && index < sizeof denied / sizeof *denied; index++)
    error = seccomp_rule_add(filter, SCMP_ACT_ERRNO(EPERM), denied[index], 0);
  // Threads need clone. glibc falls back to it from clone3, whose flags a filter cannot see because
  // they are behind a pointer.
  if (!error) error = seccomp_rule_add(filter, SCMP_ACT_ERRNO(ENOSYS), SCMP_SYS(clone3), 0);
  if (!error)
    error = seccomp_rule_add(filter, SCMP_ACT_ERRNO(EPERM), SCMP_SYS(clone), 1,
                             SCMP_A0(SCMP_CMP_MASKED_EQ, CLONE_THREAD, 0));
  // abort() signals a thread of its own process with tgkill.
  if (!error)
    error = seccomp_rule_add(filter, SCMP_ACT_ERRNO(EPERM), SCMP_SYS(tgkill), 1,
                             SCMP_A0(SCMP_CMP_NE, (scmp_datum_t)getpid()));
  // Limits and processors may be changed for this process only.
  if (!error)
    error = seccomp_rule_add(filter, SCMP_ACT_ERRNO(EPERM), SCMP_SYS(prlimit64), 1,
                             SCMP_A0(SCMP_CMP_NE, 0));
  if (!error)
    error = seccomp_rule_add(filter, SCMP_ACT_ERRNO(EPERM), SCMP_SYS(sched_setaffinity), 1,
                             SCMP_A0(SCMP_CMP_NE, 0));
  if (!error) error = seccomp_load(filter);
  seccomp_release(filter);
  // libseccomp reports every rejection by the kernel as ECANCELED; a container may deny filters,
  // too.
  if (error == -EINVAL || error == -ECANCELED || error == -EPERM || error == -EACCES) return ENOSYS;
  return -error;
}
