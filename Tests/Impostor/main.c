// Poses as tessera-worker: a fork server whose workers run a shell script with their channel for jobs
// on descriptor 3 and the descriptors of the first job on 4 (source) and 5 (memory for files), its line
// in $JOB. WorkerPoolTests uses it.
//
// The script and the first line that it sends are the files "script" and "capabilities" in the folder of the
// path that it was started by.
#define _GNU_SOURCE
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <stdio.h>
#include <unistd.h>

#include "tessera_process.h"

static void work(const char *script, int jobs) {
  // The script reads the job's line itself; its descriptors would be lost. They come with the first
  // byte, which is looked at and put back.
  int descriptors[8], count = 0;
  char byte;
  struct iovec data = {&byte, 1};
  char control[CMSG_SPACE(8 * sizeof(int))];
  struct msghdr message = {.msg_iov = &data, .msg_iovlen = 1, .msg_control = control, .msg_controllen = sizeof control};
  if (strstr(script, "&5") && recvmsg(jobs, &message, MSG_PEEK) == 1) {
    struct cmsghdr *header = CMSG_FIRSTHDR(&message);
    if (header) {
      count = (int)((header->cmsg_len - CMSG_LEN(0)) / sizeof(int));
      memcpy(descriptors, CMSG_DATA(header), (size_t)count * sizeof(int));
    }
  }
  // Above the numbers that they get.
  int kept = dup(dup(dup(dup(jobs))));
  for (int index = 0; index < count; index++) dup2(descriptors[index], 20 + index);
  dup2(kept, 3);
  for (int index = 0; index < count; index++) dup2(20 + index, 4 + index);
  close_range(4U + (unsigned)count, ~0U, 0);
  execl("/bin/sh", "sh", "-c", script, NULL);
  _exit(127);
}

static int content(const char *program, const char *name, char *text, size_t size) {
  char path[4096];
  const char *slash = strrchr(program, '/');
  snprintf(path, sizeof path, "%.*s/%s", (int)(slash - program), program, name);
  FILE *file = fopen(path, "r");
  if (!file) exit(66);
  size_t length = fread(text, 1, size - 1, file);
  text[length] = 0;
  fclose(file);
  return (int)length;
}

int main(int count, char *words[]) {
  if (count < 1 || !strchr(words[0], '/')) return 64;
  tessera_die_with_parent();
  char hello[4096], script[8192];
  int length = content(words[0], "capabilities", hello, sizeof hello);
  content(words[0], "script", script, sizeof script);
  if (write(3, hello, (size_t)length) != length) return 1;
  // One worker at a time is all that the tests need.
  for (;;) {
    char byte;
    int descriptors[8], number = 0;
    if (tessera_receive(3, &byte, 1, descriptors, &number) != 1 || number != 2) return 0;
    pid_t pid = fork();
    if (pid == 0) {
      close(descriptors[1]);
      tessera_die_with_parent();
      work(script, descriptors[0]);
    }
    close(descriptors[0]);
    int process = tessera_process_descriptor(pid);
    struct pollfd events[] = {{process, POLLIN, 0}, {descriptors[1], POLLIN, 0}};
    poll(events, 2, -1);
    if (events[1].revents) kill(pid, SIGKILL);
    int status;
    waitpid(pid, &status, 0);
    length = snprintf(hello, sizeof hello, "{\"job\":0,\"message\":{\"ended\":{\"status\":%d}}}\n", status);
    send(descriptors[1], hello, (size_t)length, MSG_NOSIGNAL);
    close(descriptors[1]);
    close(process);
  }
}
