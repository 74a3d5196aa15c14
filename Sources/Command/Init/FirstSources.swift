internal import Glibc
internal import TesseraBytes
internal import TesseraImageHeader
internal import TesseraNet
internal import TesseraPipeline
internal import TesseraPipelineFile
internal import TesseraSystem
internal import TesseraText

/// The images that a new pipeline begins with, from what a person names: images, folders of images, URLs,
/// or one list of them.
struct FirstSources {
  struct Image: Equatable {
    var id: String
    var url: String
  }

  /// For the manifest that is written; empty if there is a list.
  private(set) var images: [Image] = []
  /// A manifest that exists: a path or a URL.
  private(set) var list: String?
  /// The folders that were named.
  private var folders: [Folder] = []
  /// What the pipeline has to permit beyond the public internet, as `fetch.allow` has it.
  private(set) var permissions: [String] = []
  /// What the folders hold besides.
  private(set) var leftOut = LeftOut()
  /// URLs that were named and had to be encoded.
  private(set) var encoded = 0
  /// Nil without a list, and for one at a URL, which would have to be fetched.
  private(set) var found: ListFindings?

  private struct Folder {
    /// Without links.
    let path: String
    let hasImages: Bool
  }

  private let known: Set<ImagePlace>
  private var ids: Set<Identifier>
  private var places: Set<ImagePlace> = []
  /// Images that were seen, those that were named twice included.
  private var seen = 0

  /// The first bytes of a file; more than any format needs to be recognized.
  private static let beginning = 4096
  private static let listExtensions = [
    "jsonl", "ndjson", "csv", "tsv", "txt", "xml", "rss", "atom", "json", "gz",
  ]

  /// - Parameters:
  ///   - known: images that have an id; they need no other.
  ///   - ids: those that no image gets.
  /// - Throws: ``TesseraError`` if a file can't be read, or nothing usable is there.
  init(
    _ sources: [String], known: Set<ImagePlace> = [], ids: Set<Identifier> = []
  ) throws {
    (self.known, self.ids) = (known, ids)
    for source in sources {
      guard list == nil else {
        throw TesseraError(
          .local, "a list can't be combined with other images", remedy: "add them to the list")
      }
      let url = SourceURL.encoded(source)
      if SourceURL.scheme(of: url) != nil, url.contains("://") {
        if !url.isSame(as: source) { encoded += 1 }
        try add(url: url)
      } else if FileSystem.isDirectory(source) {
        try add(folder: source)
      } else {
        try add(file: source)
      }
    }
    if !sources.isEmpty, list == nil, images.isEmpty {
      throw TesseraError(
        .local, "no image was found in \(sources.joined(separator: ", "))",
        remedy: "name images, folders of images, URLs, or a list of URLs")
    }
  }

  /// Reads the list, if it is a file.
  mutating func readList() async throws {
    guard let list, !list.contains("://") else { return }
    found = try await ListFindings(readingList: list)
  }

  // MARK: URLs

  private mutating func add(url: String) throws {
    guard SourceURL.isFetchable(url), !SourceURL.hasBlank(url) else {
      throw TesseraError(
        .local, "\"\(url)\" can't be fetched; expected a URL of http or https")
    }
    permit(hostOf: url)
    let shown = SourceURL.shown(url, ignoring: [])
    let path = shown.prefix { $0 != "?" && $0 != "#" }
    let name = path.drop { $0 != ":" }.dropFirst(3).split(separator: "/").dropFirst().last
    if let name, Self.isList(String(name)) { return try take(list: url) }
    add(Image(id: name.map { Self.stem(of: String($0)) } ?? shown, url: url))
  }

  private mutating func permit(hostOf url: String) {
    if let permission = Self.permission(forHostOf: url) { permit(permission) }
  }

  /// What has to be allowed for a host whose address the URL spells out; nil for others.
  static func permission(forHostOf url: String) -> String? {
    guard let address = Origin(url).host.address, !AddressPolicy().permits(address) else {
      return nil
    }
    return AddressPolicy.permission(for: address).filter { $0 != "\"" }
  }

  private mutating func permit(_ permission: String) {
    if !permissions.contains(where: { $0.isSame(as: permission) }) {
      permissions.append(permission)
    }
  }

  // MARK: Files

  private mutating func add(file path: String) throws {
    switch try Self.content(of: path) {
    case .image: break
    case .rejected(let format):
      throw TesseraError(
        .local,
        "\"\(path)\" is an image of the format \(format), which a run reads only if \"accept\" in its pipeline names it"
      )
    case .other:
      guard Self.isList(FileSystem.name(of: path)) else {
        throw TesseraError(
          .local,
          "\"\(path)\" is neither an image nor a list; a list ends in "
            + Self.listExtensions.map { ".\($0)" }.joined(separator: ", "))
      }
      return try take(list: path)
    }
    let place = try Self.place(of: path)
    permit(PipelineFile.Fetch.folderMark + FileSystem.parent(of: place))
    add(Image(id: Self.stem(of: FileSystem.name(of: place)), url: Self.url(of: place)))
  }

  private mutating func add(folder path: String) throws {
    let root = try Self.place(of: path)
    guard !Self.isOutput(root) else {
      throw TesseraError(
        .local, "\"\(path)\" is the output of a run", remedy: "name the folder of its sources")
    }
    permit(PipelineFile.Fetch.folderMark + root)
    let before = seen
    try add(contentsOf: root, prefix: "")
    folders.append(Folder(path: root, hasImages: seen > before))
  }

  /// Whether an image was below the named folders and does not exist.
  ///
  /// A folder without any image shows nothing, because its disk may not be mounted, and neither does a file that is not
  /// an image at the moment.
  func lacks(_ image: ImagePlace) -> Bool {
    guard !places.contains(image) else { return false }
    let above = folders.filter { image.isBelow($0.path) }
    return !above.isEmpty && above.allSatisfy(\.hasImages) && image.isMissing
  }

  /// In the order of the names, and folders that are links are not followed: they may lead in a circle.
  private mutating func add(contentsOf folder: String, prefix: String) throws {
    let directory = try Directory(folder)
    for name in try directory.list() {
      let path = FileSystem.join(folder, name)
      switch Self.kind(of: name, in: directory, path) {
      case .hidden: break
      case .output: leftOut.add("\(prefix)\(name)/", .output)
      case .folder: try add(contentsOf: path, prefix: "\(prefix)\(name)/")
      case .file:
        switch try Self.content(of: path) {
        case .image: add(Image(id: prefix + Self.stem(of: name), url: Self.url(of: path)))
        case .rejected(let format): leftOut.add(prefix + name, .format(format))
        case .other: leftOut.add(prefix + name, .noImage)
        }
      case .link: leftOut.add(prefix + name, .link)
      }
    }
  }

  /// What a name in a folder of images is.
  enum Kind {
    /// Begins with a point.
    case hidden
    case folder
    /// The output of a run, which is nothing to make images from.
    case output
    case file
    /// A link, which is not followed, a device, or what is there no more.
    case link
  }

  static func kind(of name: String, in directory: Directory, _ path: String) -> Kind {
    if name.hasPrefix(".") { return .hidden }
    return switch directory.kind(of: name) {
    case .folder: isOutput(path) ? .output : .folder
    case .file: .file
    case .link, .other, nil: .link
    }
  }

  /// Whether a folder holds what a run has made, which is nothing to make images from.
  static func isOutput(_ path: String) -> Bool {
    FileSystem.isDirectory(FileSystem.join(path, ".tessera"))
  }

  private static func place(of path: String) throws -> String {
    guard let place = FileSystem.realPath(path) else {
      throw TesseraError(.local, "\"\(path)\" does not exist")
    }
    return place
  }

  private enum Content: Equatable {
    /// One that a run accepts by default.
    case image
    /// An image of another format.
    case rejected(String)
    case other
  }

  /// Whether a file is one that belongs into a manifest.
  static func isImage(_ path: String) -> Bool { (try? content(of: path)) == .image }

  /// What a file is, by its beginning.
  private static func content(of path: String) throws -> Content {
    let bytes = try File(path, .readWithoutWaiting).read(beginning, at: 0)
    switch ImageHeader.read(bytes.span, isWhole: bytes.count < beginning) {
    case .header(let header):
      return PipelineFile.defaultAccept.contains(header.format)
        ? .image : .rejected(header.format.rawValue)
    case .needs: return .image
    case .rejected(let rejection):
      // An image that is broken stays in the manifest, and fails in the run with its reason.
      return rejection.kind == .notImage && !hasImageName(path) ? .other : .image
    }
  }

  /// Whether a file is named like an image of a format that a run accepts by default.
  private static func hasImageName(_ path: String) -> Bool {
    let name = FileSystem.name(of: path).lowercased()
    guard let point = name.lastIndex(of: "."), point != name.startIndex else { return false }
    let ending = String(name[name.index(after: point)...])
    return otherEndings.contains(ending)
      || PipelineFile.defaultAccept.contains { $0.rawValue == ending }
  }

  /// Besides the names of formats.
  private static let otherEndings: Set = ["jpg", "jpe", "jfif", "apng", "tif", "heif"]

  static func url(of path: String) -> String {
    "file://" + PercentEncoding.encode(path, keeping: "/")
  }

  // MARK: Names

  private static func isList(_ name: String) -> Bool {
    listExtensions.contains { name.lowercased().hasSuffix(".\($0)") }
  }

  private mutating func take(list source: String) throws {
    guard images.isEmpty else {
      throw TesseraError(
        .local, "a list can't be combined with other images", remedy: "add them to the list")
    }
    list = source
  }

  /// A second image of a name gets a number. One that is named twice is one.
  private mutating func add(_ image: Image) {
    seen += 1
    let place = ImagePlace(image.url)
    guard places.insert(place).inserted else { return }
    var image = image
    let name = image.id
    image.id = ImageID.from(name)
    var number = 1
    while !known.contains(place), !ids.insert(image.id) {
      number += 1
      image.id = ImageID.from("\(name)-\(number)")
    }
    images.append(image)
  }

  /// A file's name without what follows the last point.
  private static func stem(of name: String) -> String {
    guard let point = name.lastIndex(of: "."), point != name.startIndex else { return name }
    return String(name[..<point])
  }
}

/// Ids from the names of files, which may hold what an id may not.
enum ImageID {
  /// In bytes: the most that a manifest accepts.
  private static let longest = 1024

  /// A name as an id: control characters are percent-encoded, and one that is too long ends in a digest of all of it.
  static func from(_ name: String) -> String {
    let id = name.unicodeScalars.map { scalar in
      scalar.properties.generalCategory == .control
        ? PercentEncoding.encode(String(scalar)) : String(scalar)
    }.joined()
    guard id.utf8.count > longest else { return id }
    let end = "-" + SHA256.of(name).prefix(16)
    var (scalars, room) = (String.UnicodeScalarView(), longest - end.utf8.count)
    for scalar in id.unicodeScalars {
      room -= UTF8.width(scalar)
      guard room >= 0 else { break }
      scalars.append(scalar)
    }
    return String(scalars) + end
  }
}

/// Where an image is. Lines of a manifest are compared by it: two URLs of one file are one place, however their bytes
/// are percent-encoded.
struct ImagePlace: Hashable {
  private let isFile: Bool
  /// Of a file the decoded path, which need not be UTF-8; else the URL as a run encodes it.
  private let bytes: [UInt8]

  init(_ url: String) {
    let url = SourceURL.encoded(url)
    let path = Self.path(of: url)
    isFile = path != nil
    bytes = path ?? Array(url.utf8)
  }

  /// The path of a `file:` URL (RFC 8089, section 2), as a run reads it; nil for all other URLs.
  private static func path(of url: String) -> [UInt8]? {
    guard SourceURL.scheme(of: url) == "file" else { return nil }
    var place = Substring(url.utf8.prefix { $0 != UInt8(ascii: "#") }).dropFirst("file:".count)
    if place.hasPrefix("//localhost/") { place = place.dropFirst("//localhost".count) }
    if place.hasPrefix("///") { place = place.dropFirst(2) }
    guard place.hasPrefix("/"), !place.hasPrefix("//"),
      // A NUL would end the path early in a system call.
      let bytes = PercentEncoding.decode(place), !bytes.contains(0)
    else { return nil }
    return bytes
  }

  /// The path of a file; nil for what is on the web, and for a path that is not UTF-8.
  var path: String? { isFile ? String(validating: bytes, as: UTF8.self) : nil }

  /// Whether it is a file below a folder, by its path alone.
  ///
  /// - Parameter folder: an absolute path without links.
  func isBelow(_ folder: String) -> Bool {
    let prefix = folder.hasSuffix("/") ? folder : folder + "/"
    guard isFile, bytes.starts(with: prefix.utf8) else { return false }
    let names = bytes.dropFirst(prefix.utf8.count)
      .split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
    // A path with `..` may lead out of the folder.
    return names.allSatisfy { !["", ".", ".."].contains(String(decoding: $0, as: UTF8.self)) }
  }

  /// Whether the system reports that no file is there. A path that can't be examined is not missing, and neither is one
  /// through a link: what the link leads to may not be mounted.
  var isMissing: Bool {
    guard isFile, Self.type(bytes[...]).error == ENOENT else { return false }
    return !bytes.indices.contains { index in
      bytes[index] == UInt8(ascii: "/") && index > 0 && Self.type(bytes[..<index]).type == S_IFLNK
    }
  }

  /// The type of what is at a path, or the error number. A link is not followed.
  private static func type(_ path: ArraySlice<UInt8>) -> (type: mode_t, error: Int32) {
    var status = stat()
    guard lstat(path.map(CChar.init(truncatingIfNeeded:)) + [0], &status) == 0 else {
      return (0, errno)
    }
    return (status.st_mode & S_IFMT, 0)
  }
}

/// The folder of a pipeline. What is below it is named relative to it, so that it can be moved.
struct ProjectFolder {
  /// The URL that those of the images below it begin with.
  private let url: String
  /// The path with a slash at its end.
  private let path: String

  /// - Parameter path: absolute, without links.
  init(_ path: String) {
    self.path = path.hasSuffix("/") ? path : path + "/"
    url = FirstSources.url(of: self.path)
  }

  /// The folder that relative URLs are relative to; nil for a base on the web, one through a link, which would give a file two
  /// places, and none.
  init?(base: String?) {
    guard let base, let path = ImagePlace(base).path, let real = FileSystem.realPath(path),
      path.isSame(as: real.hasSuffix("/") ? real : real + "/")
    else { return nil }
    self.init(real)
  }

  /// What the pipeline has to say of the base; nil if no image needs one.
  func base(of images: [FirstSources.Image]) -> String? {
    images.contains { reference(to: $0.url) != $0.url } ? "." : nil
  }

  /// A URL as the manifest has it.
  func reference(to url: String) -> String {
    url.begins(with: self.url) ? Self.rest(of: url, after: self.url) : url
  }

  /// A permission as the pipeline has it.
  func permission(_ text: String) -> String {
    let mark = PipelineFile.Fetch.folderMark
    guard text.begins(with: mark) else { return text }
    let folder = Self.rest(of: text, after: mark)
    return mark + (path.isSame(as: folder + "/") ? "." : name(of: folder))
  }

  /// A path as the pipeline has it.
  func name(of path: String) -> String {
    path.begins(with: self.path) ? Self.rest(of: path, after: self.path) : path
  }

  private static func rest(of text: String, after start: String) -> String {
    String(decoding: text.utf8.dropFirst(start.utf8.count), as: UTF8.self)
  }
}
