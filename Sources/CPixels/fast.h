#pragma once

// A function whose loop over samples is compiled for several instruction sets; the processor decides at
// the start of the program. All do the same arithmetic on integers.
#if defined(__x86_64__) && defined(__linux__)
#define FAST __attribute__((target_clones("avx512bw", "avx2", "default")))
// Functions with instructions of their own may be compiled.
#define WITH_AVX2
#else
#define FAST
#endif
