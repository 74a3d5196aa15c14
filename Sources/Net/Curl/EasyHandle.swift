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
