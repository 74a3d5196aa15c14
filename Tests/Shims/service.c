// Starts a program with the system calls that a systemd service leaves it, where systemd itself does not
// run: the filter's default is EPERM, and the calls of SystemCallFilter= are allowed. Of the address
// families, AF_UNIX, AF_INET and AF_INET6 are.
//
//   service NAME… -- PROGRAM [ARGUMENT…]
#define _GNU_SOURCE
#include <errno.h>
#include <seccomp.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <unistd.h>

int main(int count, char *words[]) {
  scmp_filter_ctx filter = seccomp_init(SCMP_ACT_ERRNO(EPERM));
  if (!filter) return 71;
  int index = 1, error = 0, known = 0;
  for (; !error && index < count && strcmp(words[index], "--"); index++) {
    int call = seccomp_syscall_resolve_name(words[index]);
    // Names of other architectures, and newer ones than libseccomp has.
    if (call == __NR_SCMP_ERROR || call < 0) continue;
    known++;
    if (call == SCMP_SYS(socket)) {
      static const int families[] = {AF_UNIX, AF_INET, AF_INET6};
      for (size_t family = 0; !error && family < sizeof families / sizeof *families; family++)
        error = seccomp_rule_add(filter, SCMP_ACT_ALLOW, call, 1,
                                 SCMP_A0(SCMP_CMP_EQ, (scmp_datum_t)families[family]));
    } else {
      error = seccomp_rule_add(filter, SCMP_ACT_ALLOW, call, 0);
    }
  }
  if (error || known < 100 || index + 1 >= count) {
    fprintf(stderr, "service: %d calls, %s\n", known, strerror(-error));
    return 64;
  }
  // seccomp_load sets it, too; systemd does by NoNewPrivileges=.
  prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
  error = seccomp_load(filter);
  if (error) {
    fprintf(stderr, "service: %s\n", strerror(-error));
    return 71;
  }
  execvp(words[index + 1], words + index + 1);
  perror(words[index + 1]);
  return 72;
}
