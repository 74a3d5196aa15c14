/// Ready pixels, or an atlas, of all images in a slot at one scale. `Pipelines/CATALOG.md` describes the files.
public struct CatalogTable: Sendable, Hashable {
  /// One of the catalog's scales.
  public var scale: Int
  /// How pixels are stored; see ``format``.
  public var pixels: String
  /// Ascending by ``File/prefix``. An image is in the only file whose prefix its hash has.
  public var files: [File]

  /// ``pixels`` as far as this version supports them.
  public var format: TablePixels? { TablePixels(rawValue: pixels) }

  /// A part of a table.
  public struct File: Sendable, Hashable {
    /// Relative to the catalog. The content behind a name never changes.
    public var path: String
    /// The leading bits, `0` and `1`, that the hashes of its images share; empty for all images.
    public var prefix: String
    /// Of a cell, in pixels; of the whole image for an atlas.
    public var width: Int
    /// Of a cell, in pixels; of the whole image for an atlas.
    public var height: Int
    /// The number of images.
    public var count: Int
    /// The file's size.
    public var bytes: Int
    /// SHA-256 of the file, in hexadecimal.
    public var sha256: String
    /// Of an atlas: the path of the document that says where its images are.
    public var index: String?

    /// A file by its members.
    public init(
      path: String, prefix: String, width: Int, height: Int, count: Int, bytes: Int, sha256: String,
      index: String? = nil
    ) {
      (self.path, self.prefix, self.index) = (path, prefix, index)
      (self.width, self.height) = (width, height)
      (self.count, self.bytes, self.sha256) = (count, bytes, sha256)
    }
  }

  /// A table by its members.
  public init(scale: Int, pixels: String, files parts: [File]) {
    (self.scale, self.pixels) = (scale, pixels)
    files = parts
  }

  /// The file that an image is in, if the table has it.
  ///
  /// - Parameter hash: of the image's id.
  package func file(of hash: [UInt8]) -> File? {
    files.first { TablePrefix.matches($0.prefix, hash) }
  }
}

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
