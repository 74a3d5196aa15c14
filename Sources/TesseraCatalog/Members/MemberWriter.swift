internal import TesseraJSON

/// Writes a record as compact JSON, in the order of the file.
struct MemberWriter: ~Copyable, MemberVisitor {
  typealias Failure = Never

  var writer: JSONWriter
  /// What the manifest says of the image, as compact JSON.
  var extra: String?
  /// The order of the slots in the pipeline file.
  var slotNames: [String] = []

  init(_ writer: consuming JSONWriter) { self.writer = writer }

  mutating func required<Value: MemberValue>(_ name: String, _ value: inout Value) {
    writer.name(name)
    value.write(to: &writer)
  }

  mutating func optional<Value: MemberValue>(_ name: String, _ value: inout Value?) {
    guard let value else { return }
    writer.name(name)
    value.write(to: &writer)
  }

  mutating func collection<Value: MemberValue>(
    _ name: String, _ value: inout Value
  ) {
    required(name, &value)
  }

  mutating func named<Value: MemberValue>(_ name: String, _ value: inout [String: Value]) {
    writer.name(name)
    value.write(to: &writer, namesInOrder: slotNames)
  }

  // A `CatalogValue` keeps neither the order of members nor the spelling of numbers, so the
  // manifest's own value is written instead.
  mutating func anything(_ name: String, _ value: inout CatalogValue?) {
    guard let extra else { return }
    writer.name(name)
    writer.value(json: extra)
  }
}

extension CatalogRecord {
  func write(to writer: inout JSONWriter) {
    var record = self
    writer.beginObject()
    var visitor = MemberWriter(writer)
    Self.members(&visitor, &record)
    writer = visitor.writer
    writer.endObject()
  }
}

extension CatalogImage {
  /// The image as one line of a catalog, without a line break.
  ///
  /// - Parameter extra: compact JSON that is written in place of ``extra``.
  package func line(extra: String?) -> [UInt8] {
    var image = self
    image.forms = image.variants.isEmpty ? nil : image.variants.map { VariantForm($0) }
    var visitor = MemberWriter(JSONWriter())
    visitor.extra = extra
    visitor.writer.beginObject()
    Self.members(&visitor, &image)
    visitor.writer.endObject()
    return visitor.writer.take()
  }
}

extension Catalog {
  /// Everything but the images and their number as a JSON object without a line break; with the ``digest`` if there is one.
  ///
  /// - Parameter slotNames: the order in which ``slots`` are written; it must name all of them.
  package func headLine(slotNames: [String]) -> [UInt8] {
    var head = self
    var visitor = MemberWriter(JSONWriter())
    visitor.slotNames = slotNames
    visitor.writer.beginObject()
    Self.headMembers(&visitor, &head)
    visitor.writer.endObject()
    return visitor.writer.take()
  }
}
