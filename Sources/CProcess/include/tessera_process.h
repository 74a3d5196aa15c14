#pragma once
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/// The words of this process's command line, and one of them. Swift's `CommandLine` looks for them on the stack, where it
/// finds none if a library that was preloaded has changed the environment, such as libfaketime.
int tessera_argument_count(void);
const char *tessera_argument(int index);

/// Starts `path` with `arguments` and `environment` (both NULL-terminated): /dev/null as standard
/// input and output, `error_output` as standard error, `channel` as descriptor 3, and no other
/// descriptor. Returns 0 and the child's id in `pid`, or an errno value.
int tessera_spawn(const char *path, char *const arguments[], char *const environment[],
                  int channel, int error_output, pid_t *pid);

/// Asks the kernel to kill the calling process when the thread (not the process) that started it
/// ends.
int tessera_die_with_parent(void);

/// Limits the calling process and its children for good: address space and size of a file in bytes,
/// number of tasks; and no core dumps. Returns 0 or an errno value.
int tessera_limit_memory(uint64_t bytes);

/// Limits the calling process's processor time, in seconds from now. Returns 0 or an errno value.
int tessera_limit_time(uint64_t seconds);

/// Asks the kernel to end this process and its children first when memory runs out. As far as it
/// permits.
void tessera_end_first(void);

/// Has malloc keep freed memory of at least so many bytes, under 64 MiB: a small job would otherwise return its memory to
/// the system, and the next one fetch it again. After larger blocks were freed it keeps more, as it always does.
void tessera_keep_freed_memory(size_t bytes);

/// fork(2), which Swift declares unavailable. Only for a process with one thread.
pid_t tessera_fork(void);

/// A descriptor that becomes readable when the process ends (pidfd_open(2)), or -1 with errno set.
int tessera_process_descriptor(pid_t pid);

/// Moves `descriptor` to `target` and closes every descriptor above it. Returns 0 or an errno value.
int tessera_keep_descriptor(int descriptor, int target);

/// The number of threads of the calling process, or -1.
int tessera_threads(void);

/// Sends bytes with descriptors of this process (unix(7), SCM_RIGHTS; at most 8), without SIGPIPE.
/// Returns the number of bytes sent, or -1 with errno set.
ssize_t tessera_send(int socket, const void *bytes, size_t length, const int descriptors[],
                     int count, int flags);

/// Receives bytes and up to 8 descriptors, whose number it sets in `count`. Returns the number of
/// bytes, or -1 with errno set.
ssize_t tessera_receive(int socket, void *bytes, size_t length, int descriptors[], int *count);

/// A file in memory that can be sealed (memfd_create(2)), or -1 with errno set.
int tessera_memory_file(void);

/// Ends every change of a memory file, also through descriptors and mappings of other processes.
/// Returns 0 or an errno value (EBUSY: another process has it mapped for writing).
int tessera_seal(int descriptor);

/// Locks a file with flock(2): fcntl(2) is variadic, and flock is all that a lock file needs.
/// Returns 0 or an errno value (EWOULDBLOCK: another process holds the lock).
int tessera_lock_file(int descriptor, int is_shared);

/// Ends a lock at once, although a process that was just started may still have the descriptor until its exec(2).
void tessera_unlock_file(int descriptor);

/// open(2), which Swift cannot call because it is variadic. Always with O_CLOEXEC. Returns a
/// descriptor, or -1 with errno set.
int tessera_open(const char *path, int flags, mode_t mode);

/// openat(2), as ``tessera_open`` is open(2).
int tessera_open_at(int directory, const char *path, int flags, mode_t mode);

/// Opens a folder for calls that take a descriptor (O_PATH, which glibc declares only under
/// _GNU_SOURCE), with additional flags. Returns a descriptor, or -1 with errno set.
int tessera_open_folder(int directory, const char *path, int flags);

/// The same for a relative path, with openat2(2), for which glibc 2.36 has no function: the
/// path may not leave `directory`, and no part of it may be a symbolic link. ENOSYS before Linux
/// 5.6, and ENOSYS or EPERM where a container's filter does not list the call.
int tessera_open_beneath(int directory, const char *path);

/// Exchanges what two names of two folders stand for, at once: renameat2(2) with RENAME_EXCHANGE. Returns 0, or -1 and errno.
int tessera_exchange(int directory, const char *name, int other_directory, const char *other_name);

/// syncfs(2), which glibc declares only under _GNU_SOURCE.
int tessera_sync_file_system(int descriptor);

/// The path of the loaded file, a program or a library, that `address` is in, by dladdr(3), which glibc declares only
/// under _GNU_SOURCE. NULL if it is in none. Valid until the file is unloaded.
const char *tessera_loaded_file(const void *address);

/// Occupies the descriptors of standard streams that the process was started without, before a
/// socket or a file gets them. Using these streams is then an error (EBADF).
void tessera_fill_standard_streams(void);

/// The largest resident size of this process so far, in bytes.
uint64_t tessera_peak_memory(void);

/// The width of the terminal at `descriptor` in columns, or 0 if it is not a terminal.
int tessera_terminal_width(int descriptor);

/// The number of processors that this process may run on (its affinity mask), at least 1.
int tessera_usable_processors(void);
