#pragma once
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/// Starts `path` with `arguments` and `environment` (both NULL-terminated): /dev/null as standard
/// input and output, `error_output` as standard error, `channel` as descriptor 3, and no other
/// descriptor. Returns 0 and the child's id in `pid`, or an errno value.
int tessera_spawn(const char *path, char *const arguments[], char *const environment[],
                  int channel, int error_output, pid_t *pid);

/// Asks the kernel to kill the calling process when the thread (not the process) that started it
/// ends.
int tessera_die_with_parent(void);

/// Limits the calling process: its address space in bytes, its processor time in seconds from now.
/// 0 leaves a limit unchanged. Core dumps are always disabled. Returns 0 or an errno value.
int tessera_limit_self(uint64_t address_space, uint64_t processor_seconds);

/// Locks a file with flock(2): fcntl(2) is variadic, and flock is all that a lock file needs.
/// Returns 0 or an errno value (EWOULDBLOCK: another process holds the lock).
int tessera_lock_file(int descriptor);

/// open(2), which Swift cannot call because it is variadic. Always with O_CLOEXEC. Returns a
/// descriptor, or -1 with errno set.
int tessera_open(const char *path, int flags, mode_t mode);

/// syncfs(2), which glibc declares only under _GNU_SOURCE.
int tessera_sync_file_system(int descriptor);

/// Occupies the descriptors of standard streams that the process was started without, before a
/// socket or a file gets them. Using these streams is then an error (EBADF).
void tessera_fill_standard_streams(void);

/// The largest resident size of this process so far, in bytes.
uint64_t tessera_peak_memory(void);

/// The width of the terminal at `descriptor` in columns, or 0 if it is not a terminal.
int tessera_terminal_width(int descriptor);

/// The number of processors that this process may run on (its affinity mask), at least 1.
int tessera_usable_processors(void);
