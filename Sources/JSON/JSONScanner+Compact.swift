extension JSONScanner {
  /// Reads a value of any kind as compact text, without a tree. Members keep their order, and
  /// numbers their spelling.
  package mutating func compact(depth: Int = 0) throws(Failure) -> String {
    var writer = JSONWriter()
    try copy(to: &writer, depth: depth)
    return writer.text
  }

  private mutating func copy(to writer: inout JSONWriter, depth: Int) throws(Failure) {
    switch try kind(depth: depth) {
    case .object:
      writer.beginObject()
      try object { scanner, name throws(Failure) in
        writer.name(name)
        try scanner.copy(to: &writer, depth: depth + 1)
      }
      writer.endObject()
    case .array:
      writer.beginArray()
      try array { scanner throws(Failure) in
        try scanner.copy(to: &writer, depth: depth + 1)
      }
      writer.endArray()
    case .string: writer.value(try string())
    case .number: writer.value(json: try number())
    case .bool(let flag): writer.value(flag)
    case .null: writer.null()
    }
  }
}
