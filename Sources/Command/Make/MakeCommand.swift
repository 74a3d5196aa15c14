internal import TesseraCatalog
internal import TesseraJSON
internal import TesseraNet
internal import TesseraOutput
internal import TesseraPipeline
internal import TesseraPipelineFile
internal import TesseraSystem
internal import TesseraText

enum MakeCommand: Command {
  static let name = "make"
  static let printsLines = true
  static let summary = "files of some images in some sizes, without a pipeline file"

  private static let size = Option(
    "--size", "SIZE", "a box such as 320x240, 320x (any height) or x200; may be repeated")
  private static let target = Option.path(
    "--to", "DIR", "write the files here; the working directory if not given", completes: .folders)
  private static let mode = Option<CatalogSlot.Mode>.choice(
    "--mode", "MODE", "fit (inside the box, the default), fill (covers it) or clip (cropped to it)")
  private static let format = Option(
    "--format", "FORMAT", "of the files, as variants.format has it; webp if not given")
  private static let quality = Option.number(
    "--quality", "of the files; 80 if not given", in: 1...100)
  private static let force = Flag("--force", "replace files of these names that are there")

  static let syntax = Syntax(
    [.several("SOURCE", .files)],
    text: """
      Makes files of the images that are named: URLs, files, or folders of images. An image is never
      enlarged, and a file is named for its source and its own size, such as p1-320x213.webp. Nothing
      but the files stays. With --json, an object on a line for each image: its size, its files, or its
      error; those that do not exist come first. For more than some images, and to do it again when they
      change, write a pipeline (tessera init).
      """,
    options: [size, target, mode, format, quality, force, NetworkOptions.allow],
    example: Example(
      "tessera make photo.jpg --size 320x --size 640x --to thumbs",
      "Two files of a photograph, 320 and 640 pixels wide."),
    statuses: [
      ExitMeaning(.done, "every file is there"),
      ExitMeaning(.someFailed, "some images failed, or their files were not written"),
      ExitMeaning(.failed, "nothing could be made"),
    ])

  static func run(_ arguments: Arguments) async throws -> ExitStatus {
    let sizes = try arguments.all(size)
    guard !sizes.isEmpty else { throw UsageError.missing(size, "320x") }
    let making = Making(
      sizes: sizes, mode: try arguments.value(mode)?.rawValue, format: try arguments.value(format),
      quality: try arguments.value(quality), allow: try arguments.all(NetworkOptions.allow),
      replaces: arguments.has(force))
    let isJSON = arguments.has(CommonFlag.json)
    let isQuiet = arguments.has(CommonFlag.quiet)
    var hasFailures = false
    try await making.run(arguments.operands, into: try arguments.value(target) ?? ".") { made in
      hasFailures = hasFailures || made.error != nil
      if isJSON {
        Console.write(JSONCoding.text(made))
      } else if let error = made.error {
        Console.message("\(made.source): \(error.message)")
      } else if !isQuiet {
        for file in made.files {
          Console.line("\(file.path): \(file.width) x \(file.height), \(Amount.bytes(file.bytes))")
        }
      }
    }
    return hasFailures ? .someFailed : .done
  }
}

/// Makes files by a pipeline of its own, in a folder that is removed afterwards.
struct Making {
  let sizes: [String]
  let mode: String?
  let format: String?
  let quality: Int?
  let allow: [String]
  let replaces: Bool

  /// What became of an image, as `make --json` prints it on a line.
  struct Made: Encodable {
    let schema = "tessera-make/1"
    /// The path, or the URL without its secrets.
    let source: String
    /// As it is displayed.
    var width, height: Int?
    var format: String?
    var files: [File] = []
    var error: Failure?

    struct File: Encodable {
      let path, type: String
      let width, height, bytes: Int
    }

    struct Failure: Encodable {
      let code, message: String
      let retryable: Bool
    }
  }

  /// - Parameter body: called for each image, in the order in which they were named.
  /// - Throws: `UsageError` for a value that the pipeline would not accept; ``TesseraError`` if nothing could be made; or
  ///   `CancellationError`.
  func run(
    _ sources: [String], into folder: String, _ body: (Made) -> Void
  ) async throws {
    // Each fails by itself, as images do that a server does not have.
    for source in sources where Self.isMissing(source) {
      var made = Made(source: source)
      made.error = .init(
        code: FetchError.Code.notFound.rawValue, message: "The file does not exist.",
        retryable: false)
      body(made)
    }
    let sources = sources.filter { !Self.isMissing($0) }
    guard !sources.isEmpty else { return }
    let first = try FirstSources(sources)
    if let list = first.list {
      throw TesseraError(
        .local, "\"\(list)\" is a list, and make takes images",
        remedy: "write a pipeline for it: tessera init --from \(list)")
    }
    try FileSystem.makeDirectory(folder)
    try Self.expectApart(folder, from: sources)
    let work = try TemporaryDirectory()
    let path = FileSystem.join(work.path, "make.yaml")
    try File(path, .create).write(Array(pipeline(first.permissions).utf8))
    try File(FileSystem.join(work.path, Self.manifest), .create)
      .write(first.images.flatMap { $0.manifestLine(in: nil) })
    let file: PipelineFile
    do {
      file = try PipelineFile.load(path)
    } catch let error as PipelineFileError {
      // In the words of the command line.
      throw UsageError(
        error.diagnostics.map { diagnostic in
          diagnostic.message.replacing(/"slots\.size\d+(\.size|\.mode)?"/, with: "--size")
            .replacing("\"variants.format\"", with: "--format")
        }.joined(separator: "; "))
    }
    _ = try await Pipeline(file, .everything, RunOptions(workerPath: try WorkerPath.find()))
      .run(observer: RunObserver(isQuiet: true, showsProgress: false))
    var target = MadeFolder(in: folder, replaces: replaces)
    var images = try CatalogFile(at: file.output).images()
    var rest = first.images[...]
    while let image = try images.next(), let source = rest.popFirst() {
      body(try target.add(image, of: source, from: file.output))
    }
  }

  private static func isMissing(_ source: String) -> Bool {
    !source.contains("://") && !FileSystem.exists(source)
  }

  /// Otherwise the next call would take the files for images.
  private static func expectApart(_ folder: String, from sources: [String]) throws {
    let target = FileSystem.realPath(folder) ?? folder
    let source = sources.first { source in
      guard FileSystem.isDirectory(source), let path = FileSystem.realPath(source) else {
        return false
      }
      return target.begins(with: path == "/" ? path : path + "/") || target.isSame(as: path)
    }
    guard let source else { return }
    throw UsageError(
      "the files would be among the images of \"\(source)\"; name a folder outside of it with --to")
  }

  private static let manifest = "images.jsonl"

  private func pipeline(_ permissions: [String]) -> String {
    var slots: [JSONValue.Member] = []
    for (number, size) in sizes.enumerated() {
      let members = [("size", size)] + (mode.map { [("mode", $0)] } ?? [])
      slots.append(
        .init("size\(number + 1)", .object(members.map { .init($0.0, .string($0.1)) })))
    }
    var variants: [JSONValue.Member] = []
    if let format { variants.append(.init("format", .string(format))) }
    if let quality { variants.append(.init("quality", .int(quality))) }
    let members: [JSONValue.Member] = [
      .init("manifest", .string(Self.manifest)), .init("output", .string("output")),
      .init("slots", .object(slots)), .init("scales", .array([.int(1)])),
      .init("rounding", .string("exact")), .init("variants", .object(variants)),
      .init("fail-above", .string("100%")),
      .init(
        "fetch",
        .object([.init("allow", .array((allow + permissions).map { .string($0) }))])),
    ]
    // JSON is YAML.
    return JSONValue.object(members).yaml + "\n"
  }
}

/// The folder that gets the files.
private struct MadeFolder {
  private let folder: String
  private let replaces: Bool
  private var names: Set<Identifier> = []

  init(in folder: String, replaces: Bool) { (self.folder, self.replaces) = (folder, replaces) }

  mutating func add(
    _ image: CatalogImage, of source: FirstSources.Image, from output: String
  ) throws -> Making.Made {
    var made = Making.Made(source: source.shown)
    (made.width, made.height, made.format) = (image.width, image.height, image.format)
    made.error = image.error.map {
      .init(code: $0.code, message: $0.message, retryable: $0.retryable)
    }
    for variant in image.variants {
      for file in variant.files {
        guard let path = file.path else { continue }
        let bytes = try FileSystem.read(FileSystem.join(output, path), limit: .max)
        let name = name(of: source.id, variant.width, variant.height, path)
        let target = FileSystem.join(folder, name)
        var problem: String?
        do { problem = try write(bytes, to: target) } catch let error as SystemError {
          problem = "\(error)"
        }
        if let problem {
          made.error = .init(code: "local", message: problem, retryable: false)
          continue
        }
        made.files.append(
          .init(
            path: target, type: file.type, width: variant.width, height: variant.height,
            bytes: bytes.count))
      }
    }
    return made
  }

  /// Images of one name get a number.
  private mutating func name(of id: String, _ width: Int, _ height: Int, _ path: String) -> String {
    let ending = path.split(separator: ".").last.map { ".\($0)" } ?? ""
    let stem =
      Self.cut(id.replacing("/", with: "-"), to: Self.longestName) + "-\(width)x\(height)"
    var (name, number) = (stem + ending, 1)
    while !names.insert(Identifier(name)).inserted {
      number += 1
      name = "\(stem)-\(number)\(ending)"
    }
    return name
  }

  /// In bytes: file systems allow 255 (NAME_MAX), and a draft has a suffix.
  private static let longestName = 150

  private static func cut(_ text: String, to count: Int) -> String {
    var text = text
    while text.utf8.count > count { text.removeLast() }
    return text
  }

  /// What keeps a file from being written: a sentence; nil if it is there now.
  private func write(_ bytes: [UInt8], to path: String) throws -> String? {
    guard !FileSystem.exists(path) || FileSystem.size(ofFile: path) != nil else {
      return "\"\(path)\" is there and is not a regular file; name another folder"
    }
    if FileSystem.exists(path) {
      if FileSystem.size(ofFile: path) == bytes.count,
        try FileSystem.read(path, limit: .max) == bytes
      {
        return nil
      }
      guard replaces else {
        return "\"\(path)\" exists already; name another folder, or replace it with --force"
      }
    }
    let draft = try OpenDraft(path)
    try File(draft.path, .create).write(bytes)
    if replaces { try draft.replace() } else { try draft.publish() }
    return nil
  }
}

extension FirstSources.Image {
  /// The path of a file, or the URL without its secrets.
  fileprivate var shown: String {
    guard url.begins(with: "file://") else { return SourceURL.shown(url, ignoring: []) }
    let path = PercentEncoding.decode(Substring(url.utf8.dropFirst("file://".utf8.count)))
    return path.map { String(decoding: $0, as: UTF8.self) } ?? url
  }
}
