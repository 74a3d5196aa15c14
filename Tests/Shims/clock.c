// Simulates another date. Preloaded into a program (LD_PRELOAD), it shifts the clock that tells the
// date. The clocks that only go forward, and with them all timers, are unchanged.
//
//   SHIM_SHIFT   by how many seconds
//
// Built by the tests: clang -shared -fPIC -o clock.so clock.c
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdlib.h>
#include <sys/time.h>
#include <time.h>

#define NEXT(name) ((__typeof__(&name))dlsym(RTLD_NEXT, #name))

static time_t shift(void) {
  const char *seconds = getenv("SHIM_SHIFT");
  return seconds ? atol(seconds) : 0;
}

int clock_gettime(clockid_t clock, struct timespec *now) {
  int status = NEXT(clock_gettime)(clock, now);
  if (status == 0 && (clock == CLOCK_REALTIME || clock == CLOCK_REALTIME_COARSE)) now->tv_sec += shift();
  return status;
}

int gettimeofday(struct timeval *restrict now, void *restrict zone) {
  int status = NEXT(gettimeofday)(now, zone);
  if (status == 0) now->tv_sec += shift();
  return status;
}

time_t time(time_t *seconds) {
  time_t now = NEXT(time)(NULL) + shift();
  if (seconds) *seconds = now;
  return now;
}
