internal import Synchronization
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

/// Passes one local source to its receiver, and treats validators, ranges and limits as a server
/// does.
struct LocalDelivery {
  private let request: FetchRequest
  private let settings: FetchSettings
  private let receiver: any BodyReceiving
  private(set) var bytes = 0

  /// Bytes of one read: small enough to stop soon, large enough to need few system calls.
  private static let part = 256 * 1024

  init(request: FetchRequest, settings: FetchSettings, receiver: any BodyReceiving) {
    self.request = request
    self.settings = settings
    self.receiver = receiver
  }

  /// - Parameters:
  ///   - version: what changes with the content; becomes the ETag.
  ///   - read: returns the bytes of a range; fewer if the source has become shorter.
  mutating func deliver(
    length: Int, version: String?, freshness: Duration,
    read: (Range<Int>) throws(SystemError) -> [UInt8]
  ) throws(FetchError) -> FetchResponse {
    let validators = Validators(etag: version, lastModified: nil)
    func response(_ ending: FetchResponse.Ending) -> FetchResponse {
      FetchResponse(
        ending: ending, url: request.url, place: settings.place(of: request.url), leftOrigin: false,
        validators: validators, freshness: freshness, bytes: bytes)
    }
    if let version, isKnown(version) {
      return response(.notModified)
    }
    // As with a server, a larger source is accepted if only its beginning is needed.
    guard length <= settings.maximumBytes || request.isForBeginning else {
      throw .tooLarge(settings.maximumBytes)
    }
    let wanted = try wantedRange(of: length, version)
    let extent: BodyExtent =
      wanted == 0..<length ? .whole(length: length) : .part(wanted, of: length)
    guard try wantsMore(receiver.begin(extent, validators)) else { return response(.stopped) }
    var offset = wanted.lowerBound
    while offset < wanted.upperBound {
      // One that is too large is read as far as it may be: its beginning may be all that is needed.
      guard bytes < settings.maximumBytes else { throw .tooLarge(settings.maximumBytes) }
      let end = min(
        wanted.upperBound, offset + Self.part, offset + settings.maximumBytes - bytes)
      let piece = try Self.reading { () throws(SystemError) in try read(offset..<end) }
      guard piece.count == end - offset else {
        throw FetchError(.truncated, "the file became shorter while it was read", isRetryable: true)
      }
      bytes += piece.count
      guard try wantsMore(receiver.receive(piece.span.bytes)) else { return response(.stopped) }
      offset = end
    }
    return response(.complete)
  }

  private func isKnown(_ version: String) -> Bool {
    let asked = request.condition?.validators(at: request.url, ignoring: settings.ignoredQuery)
    return asked?.etag == version
  }

  /// The requested range if it belongs to this version, or else the whole source (RFC 9110, section
  /// 13.1.5).
  private func wantedRange(of length: Int, _ version: String?) throws(FetchError) -> Range<Int> {
    guard let range = request.range, request.ifRange == nil || request.ifRange == version else {
      return 0..<length
    }
    let wanted = range.clamped(to: 0..<length)
    guard !wanted.isEmpty else { throw FetchError(.badRange, "the file ends before this range") }
    return wanted
  }

  private func wantsMore(_ verdict: BodyVerdict) throws(FetchError) -> Bool {
    switch verdict {
    case .more: true
    case .enough: false
    case .failed(let message): throw FetchError(.local, message)
    case .noRoom: throw .noRoom
    }
  }

  /// Runs a call that reads the source, and translates its error.
  static func reading<Value: ~Copyable>(
    _ body: () throws(SystemError) -> Value
  ) throws(FetchError) -> Value {
    do throws(SystemError) {
      return try body()
    } catch {
      throw FetchError(.notReadable, "the file cannot be read: \(error.reason)")
    }
  }
}

/// Reads files, each on a thread of its own: on a network or FUSE mount whose server is gone, a call
/// may never return, and nothing ends it.
///
/// A read that takes too long is given up: its receiver gets no further bytes, and its thread is left
/// behind. Threads that are left behind are counted, so that a dead mount cannot use up all threads.
final class FileReads: Sendable {
  typealias Finished = (identifier: Int, result: Result<FetchResponse, FetchError>, bytes: Int)

  /// With this number of threads left behind, no file is read until one of them returns.
  static let maximumLeftBehind = 8

  private struct State {
    /// The reads whose requests are not over.
    var receivers: [Int: RevocableReceiver] = [:]
    var finished: [Finished] = []
    var leftBehind = 0
  }

  private let settings: FetchSettings
  private let wake: @Sendable () -> Void
  private let state = Mutex(State())

  /// - Parameter wake: called from any thread when a read has finished.
  init(_ settings: FetchSettings, wake: @escaping @Sendable () -> Void) {
    self.settings = settings
    self.wake = wake
  }

  /// Starts a read. Returns an error if it cannot start.
  func start(
    _ identifier: Int, _ source: LocalSource, _ request: FetchRequest,
    into receiver: any BodyReceiving
  ) -> FetchError? {
    let revocable = RevocableReceiver(receiver)
    let leftBehind = state.withLock { state in
      if state.leftBehind < Self.maximumLeftBehind { state.receivers[identifier] = revocable }
      return state.leftBehind
    }
    guard leftBehind < Self.maximumLeftBehind else { return Self.hung(leftBehind) }
    do throws(SystemError) {
      try BackgroundThread.start { [self, settings] in
        let (result, bytes) = source.read(request, settings, into: revocable)
        finish(identifier, result, bytes)
      }
    } catch {
      state.withLock { $0.receivers[identifier] = nil }
      return FetchError(.local, "\(error)")
    }
    return nil
  }

  private func finish(
    _ identifier: Int, _ result: Result<FetchResponse, FetchError>, _ bytes: Int
  ) {
    let isAwaited = state.withLock { state in
      guard state.receivers.removeValue(forKey: identifier) != nil else {
        state.leftBehind -= 1
        return false
      }
      state.finished.append((identifier, result, bytes))
      return true
    }
    if isAwaited { wake() }
  }

  /// The reads that have finished since the last call.
  func takeFinished() -> [Finished] {
    state.withLock { state in
      defer { state.finished = [] }
      return state.finished
    }
  }

  /// Ends a read for its receiver.
  func giveUp(_ identifier: Int) {
    let receiver = state.withLock { state in
      let receiver = state.receivers.removeValue(forKey: identifier)
      // A read that has just finished has left no thread.
      if receiver != nil { state.leftBehind += 1 }
      return receiver
    }
    receiver?.revoke()
  }

  // MARK: Errors

  static func overdue(_ deadline: Duration) -> FetchError {
    FetchError(
      .timeout, "the file could not be read within \(deadline.sentence) (deadline)",
      isRetryable: true)
  }

  private static func hung(_ count: Int) -> FetchError {
    var error = FetchError(
      .timeout,
      "files are skipped for now, because \(count) of them could not be read in time; "
        + "check whether the file system they are on still answers", isRetryable: true)
    // As with a host: another attempt in this run is useless.
    error.isHostGivenUp = true
    return error
  }
}

/// Passes bytes on until it is revoked.
private final class RevocableReceiver: BodyReceiving {
  private let receiver: Mutex<(any BodyReceiving)?>

  init(_ receiver: any BodyReceiving) { self.receiver = Mutex(receiver) }

  /// After this the receiver gets no further call, and none is in progress.
  func revoke() { receiver.withLock { $0 = nil } }

  func begin(_ extent: BodyExtent, _ validators: Validators?) -> BodyVerdict {
    receiver.withLock { $0?.begin(extent, validators) ?? .enough }
  }

  func receive(_ bytes: RawSpan) -> BodyVerdict {
    receiver.withLock { $0?.receive(bytes) ?? .enough }
  }
}
