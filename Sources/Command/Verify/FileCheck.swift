internal import TesseraBytes
internal import TesseraCatalog
internal import TesseraImageHeader
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
