#pragma once

/// Gives up every capability, and every way to gain one, for this process and its children. Returns 0
/// or an errno value.
int tessera_drop_privileges(void);

/// Restricts this process and its children: they can read only below `readable` (NULL-terminated;
/// missing paths are ignored), and create or write no file; with a new kernel, they can neither
/// connect to the network nor signal other processes. Open descriptors stay usable. Uses Landlock
/// (Linux 5.13 and later). Returns the active version of Landlock, 0 if the kernel has none, or a
/// negated errno value.
int tessera_confine_files(const char *const readable[]);

/// Leaves this process and its children only the system calls that a codec or the fork server needs
/// (seccomp); all others fail with EPERM. Returns 0 or an errno value; ENOSYS if the kernel has no such
/// filters.
int tessera_confine_server(void);

/// Also denies what only the fork server needs: new processes, and signals to other processes. Returns
/// as above.
int tessera_confine_worker(void);
