internal import TesseraConsole

/// URLs that are requested otherwise than they are written.
enum EncodedURLs {
  static func note(_ count: Int) -> String {
    "\(Amount.count(count, "URL")) with blanks or other characters that a URL can't have; they are encoded as browsers "
      + "do"
  }
}
