internal import TesseraJSON

/// A point of an image, in fractions of its width and height from the upper left corner. In the catalog it is an
/// array of two numbers from 0 to 1.
public struct CatalogFocus: Sendable, Hashable {
  /// From the left side, 0 to 1.
  public var x: Double
  /// From the upper side, 0 to 1.
  public var y: Double

  /// A point by its fractions.
  public init(x: Double, y: Double) {
    self.x = x
    self.y = y
  }
}

extension CatalogFocus: MemberValue {
  static func read(from scanner: inout JSONScanner) throws(JSONScanner.Failure) -> CatalogFocus {
    scanner.skipSpace()
    let start = scanner.offset
    var numbers: [Double] = []
    try scanner.array { scanner throws(JSONScanner.Failure) in
      numbers.append(Double(try scanner.number()) ?? .nan)
    }
    guard numbers.count == 2, numbers.allSatisfy((0...1).contains) else {
      throw JSONScanner.Failure(offset: start, message: "expected two numbers from 0 to 1")
    }
    return CatalogFocus(x: numbers[0], y: numbers[1])
  }

  func write(to writer: inout JSONWriter) {
    writer.array { point in
      // With all digits, and whole numbers as ECMAScript writes them.
      point.value(json: JSONNumber.text(of: x))
      point.value(json: JSONNumber.text(of: y))
    }
  }

}
