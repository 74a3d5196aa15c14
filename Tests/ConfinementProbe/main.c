// Confines itself as a worker does, then attempts what a compromised worker would: prints a line
// for each attempt, with "open" or the error's name. ConfinementTests runs it.
//
//   ConfinementProbe READABLE WRITABLE ELSEWHERE
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

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

int main(int count, char *words[]) {
  if (count != 4) return 64;
  const char *readable[] = {"/usr", "/lib", "/lib64", "/etc", words[1], NULL};
  const char *writable[] = {words[2], NULL};
  int landlock = tessera_confine_files(readable, writable);
  int calls = tessera_confine_calls();
  printf("landlock %d seccomp %d\n", landlock, calls);

  report("read a source", opens(words[1], "source", O_RDONLY));
  report("write a result", opens(words[2], "result", O_WRONLY | O_CREAT | O_TRUNC));
  report("overwrite a source", opens(words[1], "source", O_WRONLY));
  report("create a file beside sources", opens(words[1], "new", O_WRONLY | O_CREAT));
  report("read elsewhere", opens(words[3], "secret", O_RDONLY));
  report("write elsewhere", opens(words[3], "new", O_WRONLY | O_CREAT));
  char from[4096], to[4096];
  snprintf(from, sizeof from, "%s/result", words[2]);
  snprintf(to, sizeof to, "%s/result", words[3]);
  report("move a result out", rename(from, to) == 0);
  report("link a result out", link(from, to) == 0);
  report("remove a result", unlink(from) == 0);

  report("open a socket", socket(AF_INET, SOCK_STREAM, 0) >= 0);
  report("open a local socket", socket(AF_UNIX, SOCK_STREAM, 0) >= 0);
  fflush(stdout);
  pid_t child = fork();
  if (child == 0) _exit(0);
  report("start a process", child > 0);
  char *arguments[] = {"/bin/true", NULL};
  execv("/bin/true", arguments);
  // Reached only if execv failed.
  report("become another program", 0);
  report("signal the parent", kill(getppid(), 0) == 0);
  pthread_t thread;
  errno = pthread_create(&thread, NULL, nothing, NULL);
  report("start a thread", errno == 0);
  return 0;
}
