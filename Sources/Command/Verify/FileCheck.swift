internal import TesseraBytes
internal import TesseraCatalog
internal import TesseraImageHeader
internal import TesseraJSON
internal import TesseraOutput
internal import TesseraPlan
internal import TesseraSystem

/// The check of one file that a catalog names.
struct FileCheck {
  /// Without `--deep`, this much of a file is read first: it holds the size in all common files.
  private static let beginning = 64 << 10

  /// The problem of a file that is not there.
  static let missing = "is missing"

  private let file: PublishedFile
  private let output: any Output
  private let isDeep: Bool
  /// Of bytes that were published, in hexadecimal; none if that is not known. Several states may have records of a file.
  private let sha256: [String]

  init(_ file: PublishedFile, sha256: [String] = [], in output: any Output, isDeep: Bool) {
    self.file = file
    self.sha256 = sha256
    self.output = output
    self.isDeep = isDeep
  }

  /// What is wrong with the file: completes "the file …". Nil if nothing is.
  func problem() async -> String? {
    guard FileName.parts(of: file.path) != nil else { return "has a name that no run gives" }
    do throws(SystemError) {
      guard let size = try await output.size(of: file.path) else { return await absence() }
      guard size == file.bytes else { return "has \(size) bytes instead of \(file.bytes)" }
      let bytes = try await output.read(file.path, isDeep ? size : Self.beginning, at: 0)
      if let problem = try await headerProblem(size: size, bytes) { return problem }
      if isDeep, !sha256.isEmpty, !sha256.contains(SHA256.of(bytes)) {
        return "has other content than was published"
      }
    } catch {
      return "can't be read: \(error.reason)"
    }
    return nil
  }

  /// Why the file has no size.
  private func absence() async -> String {
    do throws(SystemError) {
      _ = try await output.read(file.path, 0, at: 0)
      // It was published since.
      return "changed while it was checked"
    } catch {
      return error.isMissingFile ? Self.missing : "can't be read: \(error.reason)"
    }
  }

  /// Compares the file's header with the catalog.
  private func headerProblem(
    size: Int, _ beginning: [UInt8]
  ) async throws(SystemError) -> String? {
    var reader = HeaderReader(fileSize: size)
    reader.add(beginning.span, at: 0)
    while case .needs(let range) = reader.reading {
      let more = try await output.read(file.path, range.count, at: range.lowerBound)
      reader.add(more.span, at: range.lowerBound)
      if more.count < range.count { reader.end(at: range.lowerBound + more.count) }
    }
    return HeaderComparison.problem(
      reader.reading, width: file.width, height: file.height, type: file.type)
  }
}

/// Compares the header of a file with what a catalog says of it.
enum HeaderComparison {
  /// What differs: completes "the file …". Nil if nothing does.
  static func problem(_ reading: HeaderReading, width: Int, height: Int, type: String) -> String? {
    guard case .header(let header) = reading else { return "is not a recognized image" }
    guard header.width == width, header.height == height else {
      return "has \(header.width) x \(header.height) pixels instead of \(width) x \(height)"
    }
    guard OutputFormat(rawValue: header.format.rawValue)?.mediaType == type else {
      return "is \(header.format.withArticle) image instead of \(type)"
    }
    return nil
  }

  /// Whether bytes are the whole image that a catalog names.
  static func isWhole(_ bytes: [UInt8], _ file: PublishedFile) -> Bool {
    let reading = ImageHeader.read(bytes.span, isWhole: true)
    guard case .header(let header) = reading, FileEnd.isThere(bytes.span, header.format) else {
      return false
    }
    return problem(reading, width: file.width, height: file.height, type: file.type) == nil
  }
}

/// The check of one file of a table that a catalog names, and of the index of an atlas.
struct TableCheck {
  private let table: CatalogTable
  private let file: CatalogTable.File
  private let output: any Output
  private let isDeep: Bool

  /// No file of a table is longer: 2,000 entries of 4 MiB, and the index. Larger ones are not read.
  private static let longest = 9 << 30
  private static let part = 1 << 20

  init(_ file: CatalogTable.File, of table: CatalogTable, in output: any Output, isDeep: Bool) {
    (self.file, self.table) = (file, table)
    (self.output, self.isDeep) = (output, isDeep)
  }

  /// What is wrong with the file: completes "the file …". Nil if nothing is.
  func problem() async -> String? {
    guard let digest = PublishedFile.tableDigest(in: file.path) else {
      return "has a name that no run gives"
    }
    do throws(SystemError) {
      guard let size = try await output.size(of: file.path) else { return "is missing" }
      guard size == file.bytes, size <= Self.longest else {
        return "has \(size) bytes instead of \(file.bytes)"
      }
      if let problem = try await headerProblem() { return problem }
      guard isDeep else { return nil }
      let sum = try await output.digest(of: file.path)
      guard sum.hasPrefix(digest), sum == file.sha256 else {
        return "has other content than its name says"
      }
    } catch {
      return "can't be read: \(error.reason)"
    }
    return nil
  }

  private func headerProblem() async throws(SystemError) -> String? {
    if table.format == .webp { return try await atlasProblem() }
    let beginning = try await output.read(file.path, TableHeader.size, at: 0)
    do throws(TableError) {
      let header = try TableHeader(beginning, fileSize: file.bytes)
      guard header.pixels == table.format, header.width == file.width,
        header.height == file.height, header.count == file.count
      else { return "is another table than the catalog says" }
      let index = await bytes(of: header.index)
      let entries = try TableIndex.entries(index, header)
      guard entries.allSatisfy({ TablePrefix.matches(file.prefix, $0.hash) }) else {
        return "has images that belong to another file"
      }
      return nil
    } catch {
      return "is damaged: \(error)"
    }
  }

  /// An index that can't be read is found to be cut off.
  private func bytes(of range: Range<Int>) async -> [UInt8] {
    (try? await output.read(file.path, range.count, at: range.lowerBound)) ?? []
  }

  private func atlasProblem() async throws(SystemError) -> String? {
    let bytes = try await output.read(file.path, Self.part, at: 0)
    guard case .header(let header) = ImageHeader.read(bytes.span, isWhole: false),
      header.format == .webp
    else { return "is not a recognized image" }
    guard header.width == file.width, header.height == file.height else {
      return "has \(header.width) x \(header.height) pixels instead of "
        + "\(file.width) x \(file.height)"
    }
    return nil
  }

  /// What is wrong with the index of an atlas; nil if nothing is, or if there is none.
  func indexProblem() async -> String? {
    guard let path = file.index else { return nil }
    guard let digest = PublishedFile.tableDigest(in: path) else {
      return "has a name that no run gives"
    }
    do throws(SystemError) {
      guard let size = try await output.size(of: path) else { return "is missing" }
      // 2,000 ids of a manifest's lines.
      guard size <= 1 << 31 else { return "has \(size) bytes" }
      let bytes = try await output.read(path, size, at: 0)
      guard SHA256.of(bytes).hasPrefix(digest) else {
        return "has other content than its name says"
      }
      let document = try? JSONParser.parse(bytes)
      guard document?["image"]?.stringValue == file.path else { return "is of another atlas" }
    } catch {
      return "can't be read: \(error.reason)"
    }
    return nil
  }
}
