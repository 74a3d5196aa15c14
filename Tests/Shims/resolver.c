// Simulates a name server and a network. Preloaded into a program (LD_PRELOAD), it resolves one name
// and no other, and keeps all connections on this machine.
//
//   SHIM_NAME      the name
//   SHIM_ANSWERS   its addresses, one answer after the other: "1.2.3.4,127.0.0.1" is another address
//                  from the second query on, "1.2.3.4+127.0.0.1" one answer with both
//   SHIM_ADDRESS   an IPv4 address whose connections go to 127.0.0.1 instead, at the same port, and
//                  say that they are at that address
//   SHIM_CONNECT   the errno with which they fail instead
//
// Connections to any other address fail with ENETUNREACH.
//
// Built by the tests: clang -shared -fPIC -o resolver.so resolver.c
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <dlfcn.h>
#include <errno.h>
#include <netdb.h>
#include <netinet/in.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

#define NEXT(name) ((__typeof__(&name))dlsym(RTLD_NEXT, #name))

static atomic_int queries;

// Copies the answer to a query; the last one repeats.
static void answer(int query, char *text, size_t size) {
  const char *all = getenv("SHIM_ANSWERS");
  for (const char *comma; query > 0 && (comma = strchr(all, ',')); query--) all = comma + 1;
  size_t length = strcspn(all, ",");
  if (length >= size) abort();
  memcpy(text, all, length);
  text[length] = 0;
}

int getaddrinfo(const char *node, const char *service, const struct addrinfo *hints,
                struct addrinfo **list) {
  const char *name = getenv("SHIM_NAME");
  if (!node || !name || strcmp(node, name)) {
    // Addresses only: no name server is asked for other names.
    struct addrinfo numeric = {0};
    if (hints) numeric = *hints;
    numeric.ai_flags |= AI_NUMERICHOST;
    return NEXT(getaddrinfo)(node, service, &numeric, list);
  }
  char text[256], *rest = text, *address;
  answer(atomic_fetch_add(&queries, 1), text, sizeof text);
  *list = NULL;
  // glibc frees the elements of a list one by one, so lists can be joined.
  for (struct addrinfo **end = list; (address = strsep(&rest, "+"));) {
    int error = NEXT(getaddrinfo)(address, service, hints, end);
    if (error) return error;
    while (*end) end = &(*end)->ai_next;
  }
  return 0;
}

// Whether packets for an address stay on this machine.
static int is_local(const struct sockaddr *address) {
  const struct in6_addr *six = &((const struct sockaddr_in6 *)address)->sin6_addr;
  switch (address->sa_family) {
    case AF_INET:
      return ntohl(((const struct sockaddr_in *)address)->sin_addr.s_addr) >> 24 == 127;
    case AF_INET6:
      return IN6_IS_ADDR_LOOPBACK(six) || (IN6_IS_ADDR_V4MAPPED(six) && six->s6_addr[12] == 127);
    default: return 1;
  }
}

// The descriptors of connections that go elsewhere.
static atomic_char moved[1024];

int connect(int descriptor, const struct sockaddr *address, socklen_t length) {
  const char *text = getenv("SHIM_ADDRESS"), *error = getenv("SHIM_CONNECT");
  struct sockaddr_in target;
  struct in_addr meant;
  if (descriptor < (int)sizeof moved) moved[descriptor] = 0;
  if (is_local(address)) return NEXT(connect)(descriptor, address, length);
  memcpy(&target, address, sizeof target);
  if (!text || inet_pton(AF_INET, text, &meant) != 1 || address->sa_family != AF_INET ||
      target.sin_addr.s_addr != meant.s_addr || error) {
    errno = error ? atoi(error) : ENETUNREACH;
    return -1;
  }
  if (descriptor < (int)sizeof moved) moved[descriptor] = 1;
  target.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  return NEXT(connect)(descriptor, (struct sockaddr *)&target, sizeof target);
}

int getpeername(int descriptor, struct sockaddr *address, socklen_t *length) {
  int result = NEXT(getpeername)(descriptor, address, length);
  if (!result && address->sa_family == AF_INET && descriptor < (int)sizeof moved && moved[descriptor])
    inet_pton(AF_INET, getenv("SHIM_ADDRESS"), &((struct sockaddr_in *)address)->sin_addr);
  return result;
}
