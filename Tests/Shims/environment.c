// Changes the environment before main, as libraries do that are preloaded: libfaketime sets variables of its own.
#include <stdlib.h>

__attribute__((constructor)) static void change(void) { setenv("TESSERA_PRELOADED", "yes", 1); }
