internal import Glibc
private import TesseraCCurl

/// libcurl as a whole.
package enum CurlLibrary {
  /// Initialized once, because curl_global_init must not be called from two threads.
  package static let isInitialized: Bool = {
    // libidn2 reads host names in the locale's encoding. In the C locale, with which a program
    // begins, it rejects every name that is not ASCII.
    setlocale(LC_CTYPE, "C.UTF-8")
    return curl_global_init(Int(CURL_GLOBAL_DEFAULT)) == CURLE_OK
  }()
}
