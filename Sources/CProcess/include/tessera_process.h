#pragma once
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/// Starts `path` with `arguments` and `environment` (both NULL-terminated): /dev/null as standard
/// input and output, `error_output` as standard error, `channel` as descriptor 3, and nothing else
/// open. Returns 0 and the child's id in `pid`, or an errno value.
int tessera_spawn(const char *path, char *const arguments[], char *const environment[],
                  int channel, int error_output, pid_t *pid);

/// Asks the kernel to kill the calling process when the thread (not the process) that started it
/// ends.
int tessera_die_with_parent(void);

/// Limits that the calling process sets for itself: address space and core size in bytes,
/// processor time in seconds from now. 0 leaves a limit as it is. Returns 0 or an errno value.
int tessera_limit_self(uint64_t address_space, uint64_t processor_seconds);

/// fcntl(F_SETLKW) and friends are variadic; flock is all that a lock file needs. Returns 0,
/// or an errno value (EWOULDBLOCK: somebody else holds it).
int tessera_lock_file(int descriptor);

/// open(2) is variadic. Always with O_CLOEXEC. Returns a descriptor, or -1 with errno set.
int tessera_open(const char *path, int flags, mode_t mode);

/// syncfs(2), which glibc shows only to those who define _GNU_SOURCE.
int tessera_sync_file_system(int descriptor);

/// Takes the place of standard streams that the process was started without, before a socket or a
/// file of its own does. Using them is an error from then on (EBADF).
void tessera_fill_standard_streams(void);

/// The largest resident size of this process so far, in bytes.
uint64_t tessera_peak_memory(void);

/// Width of the terminal behind `descriptor` in columns, or 0 where it is no terminal.
int tessera_terminal_width(int descriptor);

/// The number of processors that this process may run on (its affinity mask), at least 1.
int tessera_usable_processors(void);
