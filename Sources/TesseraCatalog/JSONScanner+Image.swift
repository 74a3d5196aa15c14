extension JSONScanner {
  /// One of a list of words.
  mutating func choice<Choice: RawRepresentable & CaseIterable>() throws(Failure) -> Choice
  where Choice.RawValue == String {
    let start = offset
    let text = try string()
    guard let choice = Choice(rawValue: text) else {
      let words = Choice.allCases.map { "\"\($0.rawValue)\"" }.joined(separator: ", ")
      throw Failure(offset: start, message: "expected one of \(words), found \"\(text)\"")
    }
    return choice
  }

  private mutating func optional<Value>(
    _ read: (inout JSONScanner) throws(Failure) -> Value
  ) throws(Failure) -> Value? {
    null() ? nil : try read(&self)
  }

  private mutating func list<Value>(
    _ read: (inout JSONScanner) throws(Failure) -> Value
  ) throws(Failure) -> [Value] {
    var list: [Value] = []
    try array { scanner throws(Failure) in list.append(try read(&scanner)) }
    return list
  }

  private mutating func optionalString() throws(Failure) -> String? { null() ? nil : try string() }
  private mutating func optionalInt() throws(Failure) -> Int? { null() ? nil : try int() }

  private func need<Value>(
    _ value: Value?, _ name: String, at start: Int
  ) throws(Failure) -> Value {
    guard let value else { throw Failure(offset: start, message: "\"\(name)\" is missing") }
    return value
  }

  mutating func catalogImage() throws(Failure) -> CatalogImage {
    skipSpace()
    let start = offset
    var (id, url): (String?, String?)
    var status: CatalogImage.Status?
    var image = CatalogImage(id: "", url: "", status: .failed)
    try object { scanner, name throws(Failure) in
      switch name {
      case "id": id = try scanner.string()
      case "url": url = try scanner.string()
      case "status": status = try scanner.choice()
      case "width": image.width = try scanner.optionalInt()
      case "height": image.height = try scanner.optionalInt()
      case "format": image.format = try scanner.optionalString()
      case "alpha": image.alpha = scanner.null() ? nil : try scanner.bool()
      case "animated": image.animated = scanner.null() ? nil : try scanner.bool()
      case "frames": image.frames = try scanner.optionalInt()
      case "error":
        image.error = try scanner.optional { scanner throws(Failure) in try scanner.failureValue() }
      case "warnings":
        image.warnings = try scanner.optional { scanner throws(Failure) in
          try scanner.list { scanner throws(Failure) in try scanner.string() }
        }
      case "placeholder":
        image.placeholder = try scanner.optional { scanner throws(Failure) in
          try scanner.placeholder()
        }
      case "variants":
        image.variants = try scanner.list { scanner throws(Failure) in try scanner.variant() }
      case "slots":
        var slots: [String: CatalogSlotUse] = [:]
        try scanner.object { scanner, name throws(Failure) in
          slots[name] = try scanner.slotUse()
        }
        image.slots = slots
      case "source":
        image.source = try scanner.optional { scanner throws(Failure) in try scanner.source() }
      case "extra": image.extra = try scanner.value()
      default: try scanner.skip()
      }
    }
    image.id = try need(id, "id", at: start)
    image.url = try need(url, "url", at: start)
    image.status = try need(status, "status", at: start)
    return image
  }

  private mutating func failureValue() throws(Failure) -> CatalogImage.Failure {
    var failure = CatalogImage.Failure(code: "", message: "", retryable: false)
    try object { scanner, name throws(Failure) in
      switch name {
      case "code": failure.code = try scanner.string()
      case "message": failure.message = try scanner.string()
      case "retryable": failure.retryable = try scanner.bool()
      default: try scanner.skip()
      }
    }
    return failure
  }

  private mutating func placeholder() throws(Failure) -> CatalogPlaceholder {
    var placeholder = CatalogPlaceholder()
    try object { scanner, name throws(Failure) in
      switch name {
      case "color": placeholder.color = try scanner.optionalString()
      case "thumbhash": placeholder.thumbhash = try scanner.optionalString()
      case "blurhash": placeholder.blurhash = try scanner.optionalString()
      case "lqip": placeholder.lqip = try scanner.optionalString()
      default: try scanner.skip()
      }
    }
    return placeholder
  }

  private mutating func variant() throws(Failure) -> CatalogVariant {
    let start = offset
    var (path, type): (String?, String?)
    var (width, height, bytes): (Int?, Int?, Int?)
    var variant = CatalogVariant(path: "", type: "", width: 0, height: 0, bytes: 0)
    try object { scanner, name throws(Failure) in
      switch name {
      case "path": path = try scanner.string()
      case "type": type = try scanner.string()
      case "width": width = try scanner.int()
      case "height": height = try scanner.int()
      case "bytes": bytes = try scanner.int()
      case "fallback": variant.fallback = try scanner.optionalString()
      case "also":
        variant.also = try scanner.optional { scanner throws(Failure) in
          try scanner.list { scanner throws(Failure) in try scanner.alternative() }
        }
      case "sha256": variant.sha256 = try scanner.optionalString()
      default: try scanner.skip()
      }
    }
    variant.path = try need(path, "path", at: start)
    variant.type = try need(type, "type", at: start)
    variant.width = try need(width, "width", at: start)
    variant.height = try need(height, "height", at: start)
    variant.bytes = try need(bytes, "bytes", at: start)
    return variant
  }

  private mutating func alternative() throws(Failure) -> CatalogVariant.Alternative {
    let start = offset
    var (path, type): (String?, String?)
    var other = CatalogVariant.Alternative(path: "", type: "", bytes: 0)
    try object { scanner, name throws(Failure) in
      switch name {
      case "path": path = try scanner.string()
      case "type": type = try scanner.string()
      case "bytes": other.bytes = try scanner.int()
      case "fallback": other.fallback = try scanner.optionalString()
      case "sha256": other.sha256 = try scanner.optionalString()
      default: try scanner.skip()
      }
    }
    other.path = try need(path, "path", at: start)
    other.type = try need(type, "type", at: start)
    return other
  }

  private mutating func slotUse() throws(Failure) -> CatalogSlotUse {
    let start = offset
    var (width, height): (Int?, Int?)
    var variants: [Int] = []
    try object { scanner, name throws(Failure) in
      switch name {
      case "width": width = try scanner.int()
      case "height": height = try scanner.int()
      case "variants":
        variants = try scanner.list { scanner throws(Failure) in try scanner.int() }
      default: try scanner.skip()
      }
    }
    return CatalogSlotUse(
      width: try need(width, "width", at: start), height: try need(height, "height", at: start),
      variants: variants)
  }

  private mutating func source() throws(Failure) -> CatalogSource {
    let start = offset
    var sha256: String?
    var source = CatalogSource(sha256: "")
    try object { scanner, name throws(Failure) in
      switch name {
      case "url": source.url = try scanner.optionalString()
      case "bytes": source.bytes = try scanner.optionalInt()
      case "sha256": sha256 = try scanner.string()
      case "width": source.width = try scanner.optionalInt()
      case "height": source.height = try scanner.optionalInt()
      case "orientation": source.orientation = try scanner.optionalInt()
      case "colourSpace": source.colourSpace = try scanner.optionalString()
      case "profile": source.profile = try scanner.optionalString()
      case "etag": source.etag = try scanner.optionalString()
      case "lastModified": source.lastModified = try scanner.optionalString()
      case "robots": source.robots = try scanner.optionalString()
      default: try scanner.skip()
      }
    }
    source.sha256 = try need(sha256, "sha256", at: start)
    return source
  }
}
