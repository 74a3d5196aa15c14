internal import TesseraJSON

/// What the verdict on a line of the catalog needs of it.
///
/// It is read without a tree of the whole line, which costs four times as much: most items of most runs
/// come here.
package struct ReusedLine {
  /// All files of its variants.
  package var files: [(path: String, bytes: Int)] = []
  /// Slots at scales that its variants serve.
  var places = 0

  /// Nil if the line is not one of an image with files.
  package init?(_ line: String) {
    do throws(JSONScanner.Failure) {
      var scanner = JSONScanner(Array(line.utf8))
      var (files, places) = ([(path: String, bytes: Int)](), 0)
      try scanner.members { scanner, name, _ throws(JSONScanner.Failure) in
        switch name {
        case "variants":
          try scanner.array { scanner throws(JSONScanner.Failure) in
            try Self.readFile(&scanner, &files)
          }
        case "slots": places = try Self.places(&scanner)
        default: try scanner.skip()
        }
      }
      (self.files, self.places) = (files, places)
    } catch {
      return nil
    }
    if files.isEmpty { return nil }
  }

  /// Reads a file, and the files of other formats in it.
  private static func readFile(
    _ scanner: inout JSONScanner, _ files: inout [(path: String, bytes: Int)]
  ) throws(JSONScanner.Failure) {
    var (path, bytes) = (nil as String?, nil as Int?)
    try scanner.members { scanner, name, _ throws(JSONScanner.Failure) in
      switch name {
      case "path": path = try scanner.string()
      case "bytes": bytes = try scanner.int()
      case "also":
        try scanner.array { scanner throws(JSONScanner.Failure) in
          try readFile(&scanner, &files)
        }
      default: try scanner.skip()
      }
    }
    guard let path, let bytes else {
      throw JSONScanner.Failure(offset: scanner.offset, message: "a file without path or bytes")
    }
    files.append((path, bytes))
  }

  private static func places(
    _ scanner: inout JSONScanner
  ) throws(JSONScanner.Failure) -> Int {
    var count = 0
    try scanner.members { scanner, _, _ throws(JSONScanner.Failure) in
      try scanner.members { scanner, name, _ throws(JSONScanner.Failure) in
        guard name == "variants" else { return try scanner.skip() }
        try scanner.array { scanner throws(JSONScanner.Failure) in
          count += 1
          try scanner.skip()
        }
      }
    }
    return count
  }
}
