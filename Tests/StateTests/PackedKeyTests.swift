import Testing

@testable import TesseraState

/// Digests in half as many bytes.
@Suite struct PackedKeyTests {
  private static let digest = "00ff10a9" + String(repeating: "5c", count: 28)

  private static let key = String(digest.prefix(32))

  private static let keys: [(key: String, type: String)] = [
    (digest, "blob"), ("\(digest)0123456789abcdef", "blob"), (key, "blob"),
    // Not a row of digits in lower case, an odd number of them, or too few.
    ("\(digest.dropLast())C", "text"), ("\(digest.dropLast())g", "text"), ("\(digest)0", "text"),
    ("\(key.dropLast(2))", "text"), ("", "text"), ("upgrade \(digest)", "text"),
    (String(repeating: "é", count: 32), "text"),
  ]

  @Test(arguments: keys)
  func aKeyComesBackAsItWas(_ key: String, _ type: String) throws {
    let select = try Database("").prepare("SELECT ?1, typeof(?1)")
    let found = try select.first([.key(key)]) { ($0.key(0), $0.text(1)) }
    #expect(found?.0 == key && found?.1 == type)
  }
}
