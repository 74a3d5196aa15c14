#pragma once

/// From now on this process and its threads read only what lies below `readable`, and make and write
/// files only below `writable` (both NULL-terminated; what is not there is left out). Landlock,
/// since Linux 5.13: returns the version of it that is active, 0 where the kernel has none, or an errno
/// value made negative.
int tessera_confine_files(const char *const readable[], const char *const writable[]);

/// From now on this process opens no sockets, starts no processes, signals nobody but itself, and
/// touches none of the kernel's doors that no codec needs (seccomp). Returns 0 or an errno value;
/// ENOSYS where the kernel has no such filters.
int tessera_confine_calls(void);
