internal import Glibc
package import TesseraCCurl
internal import TesseraSystem

/// Owns libcurl's handle of one transfer, and the header list that libcurl refers to but does not
/// copy.
///
/// Every setter records the first option that fails, so that callers check once.
package struct EasyHandle: ~Copyable {
  package let pointer: UnsafeMutableRawPointer
  private var headerList: UnsafeMutablePointer<curl_slist>?
  private var failure = CURLE_OK

  package init?() {
    guard let pointer = curl_easy_init() else { return nil }
    self.pointer = pointer
  }

  deinit {
    // The list last: the handle refers to it.
    curl_easy_cleanup(pointer)
    curl_slist_free_all(headerList)
  }

  /// The context that ``setContext(_:)`` stored in a handle.
  package static func context(of pointer: UnsafeMutableRawPointer) -> UnsafeMutableRawPointer? {
    var context: UnsafeMutableRawPointer?
    guard tessera_curl_get_pointer(pointer, CURLINFO_PRIVATE, &context) == CURLE_OK else {
      return nil
    }
    return context
  }

  /// Why the system could not connect, in its words: "Connection refused"; nil if it gave no reason.
  package var obstacle: String? {
    var code = 0
    guard tessera_curl_get_long(pointer, CURLINFO_OS_ERRNO, &code) == CURLE_OK, code != 0 else {
      return nil
    }
    return SystemError("connect to", "", code: Int32(code)).reason
  }

  /// libcurl's text for the first option that could not be set since the last call; nil if all
  /// could.
  package mutating func takeFailure() -> String? {
    defer { failure = CURLE_OK }
    return failure == CURLE_OK ? nil : String(cString: curl_easy_strerror(failure))
  }

  package mutating func check(_ code: CURLcode) {
    if failure == CURLE_OK { failure = code }
  }

  package mutating func set(_ option: CURLoption, _ value: Int) {
    check(tessera_curl_set_long(pointer, option, value))
  }

  package mutating func set(_ option: CURLoption, offset: Int) {
    check(tessera_curl_set_offset(pointer, option, curl_off_t(offset)))
  }

  package mutating func set(_ option: CURLoption, _ value: String) {
    // libcurl copies the text, unlike a header list.
    check(tessera_curl_set_string(pointer, option, value))
  }

  package mutating func setContext(_ context: UnsafeMutableRawPointer) {
    check(tessera_curl_set_pointer(pointer, CURLOPT_PRIVATE, context))
  }

  /// Sets the body of a POST. It must stay where it is until the transfer has ended.
  package mutating func setBody(_ bytes: UnsafeRawPointer?) {
    check(
      tessera_curl_set_pointer(
        pointer, CURLOPT_POSTFIELDS, UnsafeMutableRawPointer(mutating: bytes)))
  }

  /// Replaces the header lines.
  package mutating func setHeaders(_ lines: [String]) {
    var list: UnsafeMutablePointer<curl_slist>?
    for line in lines {
      guard let longer = curl_slist_append(list, line) else {
        // A failed append leaves the list as it was, so it still has to be freed.
        curl_slist_free_all(list)
        return check(CURLE_OUT_OF_MEMORY)
      }
      list = longer
    }
    check(tessera_curl_set_list(pointer, CURLOPT_HTTPHEADER, list))
    // Only now: the handle referred to the previous list until the new one was set.
    curl_slist_free_all(headerList)
    headerList = list
  }
}

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

/// Open connections that only some of the transfers of a multi handle use. All others use that handle's own.
///
/// Transfers whose requests have different rights must not share connections: libcurl finds a connection by host and port,
/// and does not ask which request opened it.
package final class ConnectionPool {
  private let share: UnsafeMutableRawPointer

  /// Nil if libcurl has no memory.
  package init?() {
    guard CurlLibrary.isInitialized, let share = curl_share_init() else { return nil }
    guard tessera_curl_share_connections(share) == CURLSHE_OK else {
      curl_share_cleanup(share)
      return nil
    }
    self.share = share
  }

  /// libcurl requires that no handle uses it any more.
  deinit { curl_share_cleanup(share) }

  var pointer: UnsafeMutableRawPointer { share }
}

extension EasyHandle {
  /// Takes connections from a pool; nil for that of the multi handle. Between transfers only.
  package mutating func setPool(_ pool: ConnectionPool?) {
    check(tessera_curl_set_pointer(pointer, CURLOPT_SHARE, pool?.pointer))
  }
}

/// Dates in HTTP headers (RFC 9110, section 5.6.7), as libcurl reads them.
package enum HTTPDate {
  /// Seconds since 1970 in UTC; nil if the text is not a date.
  package static func seconds(_ text: String) -> Int? {
    let seconds = curl_getdate(text, nil)
    return seconds < 0 ? nil : Int(seconds)
  }
}
