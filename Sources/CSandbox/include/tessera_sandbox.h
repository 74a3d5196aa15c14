#pragma once

/// Restricts this process and its threads: they can read only below `readable`, and create and
/// write files only below `writable` (both NULL-terminated; missing paths are ignored). Uses
/// Landlock (Linux 5.13 and later). Returns the active version of Landlock, 0 if the kernel has
/// none, or a negated errno value.
int tessera_confine_files(const char *const readable[], const char *const writable[]);

/// Denies this process sockets, new processes, signals to other processes, and all system calls
/// that attack the kernel rather than serve a codec (seccomp). Returns 0 or an errno value; ENOSYS
/// if the kernel has no such filters.
int tessera_confine_calls(void);
