internal import TesseraSystem
internal import TesseraText

/// A source that needs no server: a file (RFC 8089) in an allowed folder, or bytes in the URL
/// itself (RFC 2397).
enum LocalSource: Sendable {
  case file(path: String)
  case data([UInt8])
  /// A URL that is malformed.
  case unreadable(FetchError)

  /// Nil for a URL of another scheme.
  init?(_ url: String) {
    // A fragment is not part of what is fetched (RFC 3986, section 3.5).
    let end = url.utf8.firstIndex(of: UInt8(ascii: "#")) ?? url.endIndex
    let text = url[..<end]
    switch url.prefix(5).lowercased() {
    case "file:": self = Self.file(text.dropFirst(5))
    case "data:": self = Self.data(text.dropFirst(5))
    default: return nil
    }
  }

  /// Whether a URL is one of a file. A file system may never answer, unlike a `data:` URL.
  static func isFile(_ url: String) -> Bool { url.prefix(5).lowercased() == "file:" }

  private static func file(_ rest: Substring) -> LocalSource {
    var place = rest
    // An empty host and "localhost" both mean this machine (RFC 8089, section 2). No other host
    // does.
    if place.hasPrefix("//localhost/") { place = place.dropFirst("//localhost".count) }
    if place.hasPrefix("///") { place = place.dropFirst(2) }
    guard place.hasPrefix("/"), !place.hasPrefix("//"),
      // A NUL would end the path early in a system call.
      let bytes = PercentEncoding.decode(place), !bytes.contains(0),
      let path = String(validating: bytes, as: UTF8.self)
    else { return .unreadable(FetchError(.badURL, "a file: URL needs three slashes and a path")) }
    return .file(path: path)
  }

  private static func data(_ rest: Substring) -> LocalSource {
    guard let comma = rest.firstIndex(of: ","),
      let bytes = PercentEncoding.decode(rest[rest.index(after: comma)...])
    else {
      return .unreadable(
        FetchError(
          .badURL,
          "a data: URL needs a comma, followed by data in which two digits follow each %"))
    }
    guard rest[..<comma].lowercased().hasSuffix(";base64") else { return .data(bytes) }
    let digits = bytes.filter { !" \t\r\n".utf8.contains($0) }
    // Many writers omit the padding, and browsers accept that.
    let padding = [UInt8](repeating: UInt8(ascii: "="), count: (4 - digits.count % 4) % 4)
    guard let decoded = Base64.decode(String(decoding: digits + padding, as: UTF8.self)) else {
      return .unreadable(FetchError(.badURL, "the data: URL is not valid Base64"))
    }
    return .data(decoded)
  }

  // MARK: Reading

  /// Passes the source to a receiver, as a server would.
  func read(
    _ request: FetchRequest, _ settings: FetchSettings, into receiver: any BodyReceiving
  ) -> (Result<FetchResponse, FetchError>, bytes: Int) {
    var delivery = LocalDelivery(request: request, settings: settings, receiver: receiver)
    do throws(FetchError) {
      let response: FetchResponse
      switch self {
      case .unreadable(let error): throw error
      case .data(let bytes):
        // The URL holds the bytes, so they cannot change: fresh for a year, the longest lifetime.
        response = try delivery.deliver(
          length: bytes.count, version: nil, freshness: .seconds(31_536_000)
        ) { range throws(SystemError) in
          Array(bytes[range])
        }
      case .file(let path):
        let file = try Self.open(path, settings)
        let stamp = try LocalDelivery.reading { () throws(SystemError) in try file.stamp() }
        response = try delivery.deliver(
          length: stamp.size, version: "\"\(stamp.text)\"", freshness: .zero
        ) { range throws(SystemError) in
          try file.read(range.count, at: range.lowerBound)
        }
      }
      return (.success(response), delivery.bytes)
    } catch {
      return (.failure(error), delivery.bytes)
    }
  }

  /// Why a file may not be opened: it is outside the allowed folders, or a link on the way to it leads there or to
  /// nothing. Nil if it is in one.
  ///
  /// A missing file outside is rejected like an existing one, so that a manifest cannot find out which files
  /// exist.
  static func rejection(of path: String, _ settings: FetchSettings) -> FetchError? {
    // First: without any permission the file system is not even looked at.
    guard !settings.folders.isEmpty else { return outside(settings) }
    let place = FileSystem.realPath(path)
    let parent = FileSystem.realPath(FileSystem.parent(of: path)).map { $0 + "/" }
    guard isAllowed(place ?? parent, settings) else {
      guard let folder = folder(of: path, settings.folders) else { return outside(settings) }
      // A folder that is missing is found to be so by the one who opens the file.
      return place == nil && parent == nil && !hasLink(path, below: folder)
        ? nil : behindLink(settings)
    }
    // Whether the target exists is not shown either: it may be outside.
    return place == nil && FileSystem.isLink(path) ? behindLink(settings) : nil
  }

  /// The one of the folders in which a path names a place, with a slash, wherever links on the way lead; nil for none.
  private static func folder(of path: String, _ folders: [String]) -> String? {
    let isPlain = !names(in: path.utf8[...]).contains("..")
    return folders.flatMap { [$0, FileSystem.realPath($0) ?? $0] }
      .map { $0.hasSuffix("/") ? $0 : $0 + "/" }
      .first {
        isPlain && path.begins(with: $0)
          && path.utf8.dropFirst($0.utf8.count).contains { $0 != UInt8(ascii: "/") }
      }
  }

  private static func names(in path: Substring.UTF8View) -> [String] {
    path.split(separator: UInt8(ascii: "/")).map { String(Substring($0)) }
  }

  private static func hasLink(_ path: String, below folder: String) -> Bool {
    let names = names(in: path.utf8.dropFirst(folder.utf8.count))
    return names.indices.contains {
      FileSystem.isLink(folder + names[...$0].joined(separator: "/"))
    }
  }

  private static func behindLink(_ settings: FetchSettings) -> FetchError {
    FetchError(
      .symlink,
      "a symbolic link on the way to the file leads to nothing, or out of the allowed folders; put the file itself there; "
        + "if the link is meant, " + settings.permissionHint("\"files:/the/folder\""))
  }

  private static func outside(_ settings: FetchSettings) -> FetchError {
    FetchError(
      .addressRejected,
      "the file is not in an allowed folder; if that is meant, "
        + settings.permissionHint("\"files:/the/folder\""))
  }

  /// - Parameter place: with all links resolved.
  private static func isAllowed(_ place: String?, _ settings: FetchSettings) -> Bool {
    settings.folders.contains { folder in
      // The allowed folder may be a link itself.
      guard let folder = FileSystem.realPath(folder), let place else { return false }
      // With the slash: "/srv/images" must not permit "/srv/images-private".
      return place.begins(with: folder.hasSuffix("/") ? folder : folder + "/")
    }
  }

  /// Opens a regular file if it is in an allowed folder after all links are resolved.
  private static func open(_ path: String, _ settings: FetchSettings) throws(FetchError) -> File {
    // The check before the open keeps FIFOs and devices outside closed.
    if let rejection = rejection(of: path, settings) { throw rejection }
    let file: File
    do throws(SystemError) {
      // A named pipe must not occupy the thread before it is rejected below.
      file = try File(path, .readWithoutWaiting)
    } catch {
      throw error.isMissingFile
        ? FetchError(.notFound, "the file does not exist")
        : FetchError(.notReadable, "the file cannot be opened: \(error.reason)")
    }
    // Checked again on the open file, because a link may have been replaced since the first check.
    guard isAllowed(file.realPath, settings) else { throw outside(settings) }
    guard file.isRegular else { throw FetchError(.notReadable, "not a regular file") }
    return file
  }
}
