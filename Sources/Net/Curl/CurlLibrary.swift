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

  /// The content codings (RFC 9110, section 8.4.1) that this libcurl can decode, in lower case.
  package static let contentCodings: Set<String> = {
    let features = tessera_curl_features()
    var codings: Set = ["identity", "none", "gzip", "x-gzip", "deflate"]
    if features & CURL_VERSION_BROTLI != 0 { codings.insert("br") }
    if features & CURL_VERSION_ZSTD != 0 { codings.insert("zstd") }
    return codings
  }()
}
