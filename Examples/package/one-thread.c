// Makes each thread of the Swift compiler end before the one that starts it goes on. The compiler frees what it no longer needs
// in a second thread, so that where the first one's memory is depends on which is faster, and it orders some things by where they
// are. Preloaded by put_executables; other programs are as before.

#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <semaphore.h>
#include <string.h>

struct work {
  void *(*start)(void *);
  void *argument;
  sem_t done;
};

static void *run(void *argument) {
  struct work *work = argument;
  void *result = work->start(work->argument);
  sem_post(&work->done);
  return result;
}

int pthread_create(pthread_t *thread, const pthread_attr_t *attributes, void *(*start)(void *), void *argument) {
  int (*create)(pthread_t *, const pthread_attr_t *, void *(*)(void *), void *) = dlsym(RTLD_NEXT, "pthread_create");
  if (strcmp(program_invocation_short_name, "swift-frontend") != 0) return create(thread, attributes, start, argument);
  struct work work = {.start = start, .argument = argument};
  sem_init(&work.done, 0, 0);
  int error = create(thread, attributes, run, &work);
  while (error == 0 && sem_wait(&work.done) != 0) continue;
  return error;
}
