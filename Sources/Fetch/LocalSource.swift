internal import TesseraSystem
internal import TesseraText

/// A source that no server is asked for: a file (RFC 8089) in a folder that is allowed, or bytes in the URL
/// itself (RFC 2397).
enum LocalSource {
  case file(path: String)
  case data([UInt8])
  /// What is wrong with the URL.
  case unreadable(FetchError)

  /// Nil where the URL is of another scheme.
  init?(_ url: String) {
    let end = url.utf8.firstIndex(of: UInt8(ascii: "#")) ?? url.endIndex
    let text = url[..<end]
    switch url.prefix(5).lowercased() {
    case "file:": self = Self.file(text.dropFirst(5))
    case "data:": self = Self.data(text.dropFirst(5))
    default: return nil
    }
  }

  private static func file(_ rest: Substring) -> LocalSource {
    var place = rest
    if place.hasPrefix("//localhost/") { place = place.dropFirst("//localhost".count) }
    if place.hasPrefix("///") { place = place.dropFirst(2) }
    guard place.hasPrefix("/"), !place.hasPrefix("//"),
      let bytes = PercentEncoding.decode(place), !bytes.contains(0),
      let path = String(validating: bytes, as: UTF8.self)
    else { return .unreadable(FetchError(.badURL, "a file: URL has three slashes and a path")) }
    return .file(path: path)
  }

  private static func data(_ rest: Substring) -> LocalSource {
    guard let comma = rest.firstIndex(of: ","),
      let bytes = PercentEncoding.decode(rest[rest.index(after: comma)...])
    else {
      return .unreadable(
        FetchError(
          .badURL,
          "a data: URL has a comma, and behind it data in which each % is followed by two digits"))
    }
    guard rest[..<comma].lowercased().hasSuffix(";base64") else { return .data(bytes) }
    let digits = bytes.filter { !" \t\r\n".utf8.contains($0) }
    // The padding is often left out.
    let padding = [UInt8](repeating: UInt8(ascii: "="), count: (4 - digits.count % 4) % 4)
    guard let decoded = Base64.decode(String(decoding: digits + padding, as: UTF8.self)) else {
      return .unreadable(FetchError(.badURL, "the data: URL is not valid Base64"))
    }
    return .data(decoded)
  }

  // MARK: Reading

  /// Hands the source to a receiver, as a server would.
  func read(
    _ request: FetchRequest, _ settings: FetchSettings, into receiver: any BodyReceiving
  ) -> (Result<FetchResponse, FetchError>, bytes: Int) {
    var delivery = Delivery(request: request, settings: settings, receiver: receiver)
    do throws(FetchError) {
      let response: FetchResponse
      switch self {
      case .unreadable(let error): throw error
      case .data(let bytes):
        // They are as old as the URL.
        response = try delivery.deliver(
          length: bytes.count, version: nil, freshness: .seconds(31_536_000)
        ) { range throws(SystemError) in
          Array(bytes[range])
        }
      case .file(let path):
        let file = try Self.open(path, settings)
        let stamp = try Self.local { () throws(SystemError) in try file.stamp() }
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

  /// Opens what is a file in one of the folders that are allowed, wherever links lead.
  private static func open(_ path: String, _ settings: FetchSettings) throws(FetchError) -> File {
    let refusal = FetchError(
      .addressRefused,
      "the file lies in no folder that is allowed; if that is meant, "
        + settings.permissionHint("\"files:/the/folder\""))
    guard !settings.folders.isEmpty else { throw refusal }
    func isAllowed(_ place: String?) -> Bool {
      settings.folders.contains { folder in
        guard let folder = FileSystem.realPath(folder), let place else { return false }
        return place.hasPrefix(folder.hasSuffix("/") ? folder : folder + "/")
      }
    }
    // Nothing outside is opened, and nobody learns what is there.
    let parent = FileSystem.realPath(FileSystem.parent(of: path)).map { $0 + "/" }
    guard isAllowed(FileSystem.realPath(path) ?? parent) else { throw refusal }
    let file: File
    do throws(SystemError) {
      file = try File(path, .readWithoutWaiting)
    } catch {
      throw error.isMissingFile
        ? FetchError(.notFound, "there is no such file")
        : FetchError(.notFound, "the file can't be opened: \(error.reason)")
    }
    // Of what was opened, not of what the path leads to by now.
    guard isAllowed(file.realPath) else { throw refusal }
    guard file.isRegular else { throw FetchError(.notFound, "this is no file, but something else") }
    return file
  }

  fileprivate static func local<Value: ~Copyable>(
    _ body: () throws(SystemError) -> Value
  ) throws(FetchError) -> Value {
    do throws(SystemError) {
      return try body()
    } catch {
      throw FetchError(.notFound, "the file can't be read: \(error.reason)")
    }
  }
}

/// One source on its way to its receiver.
private struct Delivery {
  let request: FetchRequest
  let settings: FetchSettings
  let receiver: any BodyReceiving
  private(set) var bytes = 0

  private static let part = 256 * 1024

  init(request: FetchRequest, settings: FetchSettings, receiver: any BodyReceiving) {
    self.request = request
    self.settings = settings
    self.receiver = receiver
  }

  mutating func deliver(
    length: Int, version: String?, freshness: Duration,
    read: (Range<Int>) throws(SystemError) -> [UInt8]
  ) throws(FetchError) -> FetchResponse {
    let validators = Validators(etag: version, lastModified: nil)
    func response(_ ending: FetchResponse.Ending) -> FetchResponse {
      FetchResponse(
        ending: ending, url: request.url, leftOrigin: false, validators: validators,
        freshness: freshness, bytes: bytes)
    }
    if let version, request.validators?.etag == version { return response(.notModified) }
    guard length <= settings.maximumBytes || request.isForBeginning else {
      throw CurlFailure.tooLarge(settings.maximumBytes)
    }
    var wanted = 0..<length
    if let range = request.range, request.ifRange == nil || request.ifRange == version {
      wanted = range.clamped(to: wanted)
      guard !wanted.isEmpty else { throw FetchError(.badRange, "the file ends before this range") }
    }
    let extent: BodyExtent =
      wanted == 0..<length ? .whole(length: length) : .part(wanted, of: length)
    switch receiver.begin(extent, validators) {
    case .more: break
    case .enough: return response(.stopped)
    case .failed(let message): throw FetchError(.local, message)
    }
    var offset = wanted.lowerBound
    while offset < wanted.upperBound {
      let end = min(wanted.upperBound, offset + Self.part)
      let piece = try LocalSource.local { () throws(SystemError) in try read(offset..<end) }
      guard piece.count == end - offset else {
        throw FetchError(.truncated, "the file became shorter while it was read", isRetryable: true)
      }
      bytes += piece.count
      switch receiver.receive(piece.span.bytes) {
      case .more: offset = end
      case .enough: return response(.stopped)
      case .failed(let message): throw FetchError(.local, message)
      }
    }
    return response(.complete)
  }
}
