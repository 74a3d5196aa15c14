#pragma once
#include <curl/curl.h>

// libcurl's setters and getters are variadic C functions, which Swift cannot call. There is one
// typed shim for each kind of argument that an option takes.
static inline CURLcode tessera_curl_set_long(CURL *handle, CURLoption option, long value) {
  return curl_easy_setopt(handle, option, value);
}
static inline CURLcode tessera_curl_set_offset(CURL *handle, CURLoption option, curl_off_t value) {
  return curl_easy_setopt(handle, option, value);
}
static inline CURLcode tessera_curl_set_string(CURL *handle, CURLoption option, const char *value) {
  return curl_easy_setopt(handle, option, value);
}
static inline CURLcode tessera_curl_set_pointer(CURL *handle, CURLoption option, void *value) {
  return curl_easy_setopt(handle, option, value);
}
static inline CURLcode tessera_curl_set_list(CURL *handle, CURLoption option,
                                             struct curl_slist *value) {
  return curl_easy_setopt(handle, option, value);
}
static inline CURLcode tessera_curl_set_write(CURL *handle, curl_write_callback callback,
                                              void *context) {
  CURLcode code = curl_easy_setopt(handle, CURLOPT_WRITEFUNCTION, callback);
  return code != CURLE_OK ? code : curl_easy_setopt(handle, CURLOPT_WRITEDATA, context);
}
static inline CURLcode tessera_curl_set_header(CURL *handle, curl_write_callback callback,
                                               void *context) {
  CURLcode code = curl_easy_setopt(handle, CURLOPT_HEADERFUNCTION, callback);
  return code != CURLE_OK ? code : curl_easy_setopt(handle, CURLOPT_HEADERDATA, context);
}
static inline CURLcode tessera_curl_set_open_socket(CURL *handle,
                                                    curl_opensocket_callback callback,
                                                    void *context) {
  CURLcode code = curl_easy_setopt(handle, CURLOPT_OPENSOCKETFUNCTION, callback);
  return code != CURLE_OK ? code : curl_easy_setopt(handle, CURLOPT_OPENSOCKETDATA, context);
}
static inline CURLcode tessera_curl_get_pointer(CURL *handle, CURLINFO info, void **value) {
  return curl_easy_getinfo(handle, info, value);
}
static inline CURLcode tessera_curl_get_long(CURL *handle, CURLINFO info, long *value) {
  return curl_easy_getinfo(handle, info, value);
}
static inline CURLcode tessera_curl_get_offset(CURL *handle, CURLINFO info, curl_off_t *value) {
  return curl_easy_getinfo(handle, info, value);
}
static inline CURLcode tessera_curl_set_debug(CURL *handle, curl_debug_callback callback,
                                              void *context) {
  CURLcode code = curl_easy_setopt(handle, CURLOPT_DEBUGFUNCTION, callback);
  return code != CURLE_OK ? code : curl_easy_setopt(handle, CURLOPT_DEBUGDATA, context);
}
static inline CURLMcode tessera_curl_multi_set_long(CURLM *multi, CURLMoption option, long value) {
  return curl_multi_setopt(multi, option, value);
}
static inline int tessera_curl_features(void) {
  return curl_version_info(CURLVERSION_NOW)->features;
}
static inline CURLSHcode tessera_curl_share_connections(CURLSH *share) {
  return curl_share_setopt(share, CURLSHOPT_SHARE, CURL_LOCK_DATA_CONNECT);
}
static inline CURLcode tessera_curl_set_before_request(CURL *handle, curl_prereq_callback callback,
                                                       void *context) {
  CURLcode code = curl_easy_setopt(handle, CURLOPT_PREREQFUNCTION, callback);
  return code != CURLE_OK ? code : curl_easy_setopt(handle, CURLOPT_PREREQDATA, context);
}

// The result is a member of an unnamed union, which Swift can only read through a copy.
static inline CURLcode tessera_curl_message_result(const CURLMsg *message) {
  return message->data.result;
}
