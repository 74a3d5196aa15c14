internal import TesseraText

extension CatalogVariant {
  /// Whether an app may request it as it is: an absolute http(s) URL without blanks, control characters and what
  /// would end it in a page.
  static func isURL(_ text: String) -> Bool {
    let isWeb = ["http://", "https://"].contains {
      text.begins(with: $0) && text.utf8.count > $0.utf8.count
    }
    return isWeb
      && text.unicodeScalars.allSatisfy {
        $0.value > 0x20 && !(0x7F...0x9F).contains($0.value)
          && !"\"<>\\".unicodeScalars.contains($0)
      }
  }

  /// Whether paths may be joined to it: a URL of the web, or one without a scheme, which is relative to the catalog's.
  static func isBase(_ text: String) -> Bool {
    let hasScheme = text.prefix { $0 != "/" }.contains(":")
    return hasScheme ? isURL(text) : text.isEmpty || isURL("http://\(text)")
  }
}
