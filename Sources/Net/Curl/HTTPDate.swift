private import TesseraCCurl

/// Dates in HTTP headers (RFC 9110, section 5.6.7), as libcurl reads them.
package enum HTTPDate {
  /// Seconds since 1970 in UTC; nil if the text is not a date.
  package static func seconds(_ text: String) -> Int? {
    let seconds = curl_getdate(text, nil)
    return seconds < 0 ? nil : Int(seconds)
  }
}
