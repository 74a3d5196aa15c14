// Confines itself as a worker does, then attempts what a compromised worker would: prints a line
// for each attempt, with "open" or the error's name. ConfinementTests runs it.
//
//   ConfinementProbe READABLE SOURCE RESULT ELSEWHERE    SOURCE and RESULT are opened before
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tessera_process.h"
#include "tessera_sandbox.h"

static void report(const char *what, int isOpen) {
  printf("%s: %s\n", what, isOpen ? "open" : strerrorname_np(errno));
}

static int opens(const char *folder, const char *name, int flags) {
  char path[4096];
  snprintf(path, sizeof path, "%s/%s", folder, name);
  int descriptor = open(path, flags, 0600);
  if (descriptor >= 0) close(descriptor);
  return descriptor >= 0;
}

static void *nothing(void *argument) { return argument; }

static void limits(void) {
  const struct {
    const char *name;
    int number;
  } hard[] = {{"memory", RLIMIT_AS}, {"file", RLIMIT_FSIZE}, {"tasks", RLIMIT_NPROC}, {"core", RLIMIT_CORE}};
  for (size_t index = 0; index < sizeof hard / sizeof *hard; index++) {
    struct rlimit limit;
    getrlimit(hard[index].number, &limit);
    printf("%s: %lu\n", hard[index].name, (unsigned long)limit.rlim_max);
  }
  struct rlimit more = {1UL << 40, 1UL << 40};
  report("raise the limit", setrlimit(RLIMIT_AS, &more) == 0);
}

int main(int count, char *words[]) {
  if (count != 5) return 64;
  const char *readable[] = {"/usr", "/lib", "/lib64", "/etc", words[1], NULL};
  int source = open(words[2], O_RDONLY), result = open(words[3], O_WRONLY);
  if (tessera_limit_memory(1UL << 30)) return 70;
  int privileges = tessera_drop_privileges();
  int landlock = tessera_confine_files(readable);
  int calls = tessera_confine_server();
  printf("landlock %d seccomp %d privileges %d\n", landlock, calls, privileges);

  // A fork server starts workers and ends them.
  fflush(stdout);
  pid_t child = fork();
  if (child == 0) _exit(0);
  report("fork server: start a process", child > 0);
  report("fork server: wait for it", waitpid(child, NULL, 0) == child);
  printf("worker: %d\n", tessera_confine_worker());

  char byte = 'x';
  report("read an open source", pread(source, &byte, 1, 0) == 1);
  report("write an open result", pwrite(result, &byte, 1, 0) == 1);
  report("read a library's file", opens(words[1], "readable", O_RDONLY));
  report("write there", opens(words[1], "readable", O_WRONLY));
  report("create a file there", opens(words[1], "new", O_WRONLY | O_CREAT));
  report("truncate a file there", opens(words[1], "readable", O_RDONLY | O_TRUNC));
  report("read elsewhere", opens(words[4], "secret", O_RDONLY));
  report("write elsewhere", opens(words[4], "new", O_WRONLY | O_CREAT));
  report("move the result", rename(words[3], "/tmp/moved") == 0);
  report("link the result", link(words[3], "/tmp/linked") == 0);
  report("remove the result", unlink(words[3]) == 0);
  report("change permissions", chmod(words[3], 0777) == 0);

  report("open a socket", socket(AF_INET, SOCK_STREAM, 0) >= 0);
  report("open a local socket", socket(AF_UNIX, SOCK_STREAM, 0) >= 0);
  report("make a socket pair", socketpair(AF_UNIX, SOCK_STREAM, 0, (int[2]){0, 0}) == 0);
  child = fork();
  if (child == 0) _exit(0);
  report("start a process", child > 0);
  char *arguments[] = {"/bin/true", NULL};
  execv("/bin/true", arguments);
  // Reached only if execv failed.
  report("become another program", 0);
  report("signal the parent", kill(getppid(), 0) == 0);
  report("signal the parent's thread", syscall(SYS_tgkill, getppid(), getppid(), 0) == 0);
  report("have a descriptor signal the parent", fcntl(source, F_SETOWN, getppid()) == 0);
  report("have it signal a group", fcntl(source, F_SETOWN_EX, &(struct f_owner_ex){F_OWNER_PGRP, getpgrp()}) == 0);
  report("choose its signal", fcntl(source, F_SETSIG, SIGKILL) == 0);
  report("outlive the parent", prctl(PR_SET_PDEATHSIG, 0) == 0);
  report("limit the parent", prlimit(getppid(), RLIMIT_AS, NULL, &(struct rlimit){0, 0}) == 0);
  report("trace", syscall(SYS_ptrace, 0, 0, 0, 0) == 0);
  report("make a user namespace", syscall(SYS_unshare, 0x10000000) == 0);
  report("use io_uring", syscall(SYS_io_uring_setup, 1, NULL) >= 0);
  report("load a program into the kernel", syscall(SYS_bpf, 0, NULL, 0) >= 0);
  report("make a call that is not listed", syscall(SYS_mbind, NULL, 0, 0, NULL, 0, 0) == 0);
  pthread_t thread;
  errno = pthread_create(&thread, NULL, nothing, NULL);
  report("start a thread", errno == 0);
  // All of them: root would have capabilities.
  report("become another user", syscall(SYS_setresuid, 1, 1, 1) == 0);
  limits();
  return 0;
}
