#pragma once
#include <curl/curl.h>

// libcurl's setters and getters are variadic, which Swift cannot call: one typed door for each
// kind of argument that the option's name announces.
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
static inline CURLcode tessera_curl_get_long(CURL *handle, CURLINFO info, long *value) {
  return curl_easy_getinfo(handle, info, value);
}
static inline CURLcode tessera_curl_get_string(CURL *handle, CURLINFO info, const char **value) {
  return curl_easy_getinfo(handle, info, value);
}
static inline CURLcode tessera_curl_get_pointer(CURL *handle, CURLINFO info, void **value) {
  return curl_easy_getinfo(handle, info, value);
}
static inline CURLMcode tessera_curl_multi_set_long(CURLM *multi, CURLMoption option, long value) {
  return curl_multi_setopt(multi, option, value);
}

// The message keeps its result in a union, whose members Swift imports by copy only.
static inline CURLcode tessera_curl_message_result(const CURLMsg *message) {
  return message->data.result;
}
static inline CURLcode tessera_curl_set_before_request(CURL *handle, curl_prereq_callback callback,
                                                       void *context) {
  CURLcode code = curl_easy_setopt(handle, CURLOPT_PREREQFUNCTION, callback);
  return code != CURLE_OK ? code : curl_easy_setopt(handle, CURLOPT_PREREQDATA, context);
}
