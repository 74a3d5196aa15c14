// Makes each thread of the Swift compiler end before the one that starts it goes on. The compiler frees what it no longer needs
// in a second thread, so that where the first one's memory is depends on which is faster, and it orders some things by where they
// are. A thread has ended when the kernel has none of its number: what it does last is to give back the memory that it has kept.
// Preloaded by put_executables; other programs are as before.

#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>

struct work {
  void *(*start)(void *);
  void *argument;
  pid_t number;
  sem_t begun;
};

static void *run(void *argument) {
  struct work *work = argument;
  struct work own = *work;
  work->number = gettid();
  sem_post(&work->begun);
  return own.start(own.argument);
}

int pthread_create(pthread_t *thread, const pthread_attr_t *attributes, void *(*start)(void *), void *argument) {
  int (*create)(pthread_t *, const pthread_attr_t *, void *(*)(void *), void *) = dlsym(RTLD_NEXT, "pthread_create");
  if (strcmp(program_invocation_short_name, "swift-frontend") != 0) return create(thread, attributes, start, argument);
  struct work work = {.start = start, .argument = argument};
  sem_init(&work.begun, 0, 0);
  int error = create(thread, attributes, run, &work);
  if (error != 0) return error;
  while (sem_wait(&work.begun) != 0) continue;
  while (tgkill(getpid(), work.number, 0) == 0) usleep(100);
  return 0;
}
