extension CatalogTable: CatalogRecord {
  static var blank: CatalogTable { CatalogTable(scale: 0, pixels: "", files: []) }

  static func members<Visitor: MemberVisitor & ~Copyable>(
    _ visitor: inout Visitor, _ table: inout CatalogTable
  ) throws(Visitor.Failure) {
    try visitor.required("scale", &table.scale)
    try visitor.required("pixels", &table.pixels)
    try visitor.required("files", &table.files)
  }
}

extension CatalogTable.File: CatalogRecord {
  static var blank: Self {
    Self(path: "", prefix: "", width: 0, height: 0, count: 0, bytes: 0, sha256: "")
  }

  static func members<Visitor: MemberVisitor & ~Copyable>(
    _ visitor: inout Visitor, _ file: inout Self
  ) throws(Visitor.Failure) {
    try visitor.required("path", &file.path)
    try visitor.required("prefix", &file.prefix)
    try visitor.required("width", &file.width)
    try visitor.required("height", &file.height)
    try visitor.required("count", &file.count)
    try visitor.required("bytes", &file.bytes)
    try visitor.required("sha256", &file.sha256)
    try visitor.optional("index", &file.index)
  }
}
