internal import Synchronization
internal import TesseraFetch
internal import TesseraImageHeader
internal import TesseraJSON
internal import TesseraPipeline
internal import TesseraPipelineFile
internal import TesseraProbe
internal import TesseraSystem
internal import TesseraText

enum ProbeCommand: Command {
  static let name = "probe"
  static let summary = "the sizes of pictures, from their first bytes"
  static let syntax = Syntax(
    operands: "[URL|FILE|-]…", operandCount: 0...1_000_000,
    text: """
      Prints the displayed size of each picture, in the order asked, reading no more of it than the
      size takes: servers are asked for ranges. "-", or nothing at all, reads a list from standard
      input, a URL or file a line. With --json, one object a line.
      """,
    options: [
      .init("--allow", "WHAT", "loopback, private or an address block; may be repeated"),
      .init("--timeout", "TIME", "to connect, and to the first byte; default 15s"),
      .init("--concurrency", "N", "so many at once; default 16"),
      .init("--max-bytes", "SIZE", "read no more of one picture; default 64MB"),
    ])

  /// Tries after the first, for errors that can pass, within four times the timeout.
  private static let retries = 2

  static func run(_ arguments: Arguments) async throws -> ExitStatus {
    if arguments.operands.isEmpty && Host.isInputTerminal {
      throw UsageError("missing operands; the usage is: tessera probe \(syntax.operands) [options]")
    }
    let settings = try fetchSettings(arguments)
    let fetcher = try Fetcher(settings)
    defer { fetcher.close() }
    let prober = Prober(
      fetcher: fetcher, retries: retries, deadline: settings.timeout * 4,
      maximumBytes: settings.maximumBytes, concurrency: settings.concurrency)
    let isJSON = arguments.has("--json")
    let isQuiet = arguments.has("--quiet")
    let hasFailures = Mutex(false)
    let operands = arguments.operands
    try await Interruption.cancelling {
      var sources = Sources(operands, list: try SourceList())
      let stop = sources.list.stopper()
      let answered = { @Sendable (answer: Prober.Answer) in
        if case .failure = answer.result { hasFailures.withLock { $0 = true } }
        let isHeard =
          isJSON ? StandardStream.output.write(json(answer)) : tell(answer, isQuiet: isQuiet)
        // Nobody reads the results any more.
        if !isHeard { stop() }
      }
      try await withTaskCancellationHandler {
        try await prober.probe({ try await sources.next() }, answer: answered)
      } onCancel: {
        stop()
      }
      try Task.checkCancellation()
    }
    return hasFailures.withLock(\.self) ? .someFailed : .done
  }

  /// What is asked for: the operands, with the list in the place of "-".
  private struct Sources {
    private var rest: ArraySlice<String>
    let list: SourceList

    init(_ operands: [String], list: SourceList) {
      rest = operands.isEmpty ? ["-"] : operands[...]
      self.list = list
    }

    mutating func next() async throws -> Result<String, Prober.Failure>? {
      while let operand = rest.first, StandardStream.outputFailure == 0 {
        if operand == "-", let source = try await list.next() { return source }
        rest.removeFirst()
        if operand != "-" { return .success(operand) }
      }
      return nil
    }
  }

  private static func fetchSettings(_ arguments: Arguments) throws(UsageError) -> FetchSettings {
    let concurrency =
      try arguments.value("--concurrency", expected: "a whole number from 1 to 256") {
        Int($0).flatMap { (1...256).contains($0) ? $0 : nil }
      } ?? 16
    let timeout =
      try arguments.value("--timeout", expected: "a duration such as 15s") {
        Units.duration($0).flatMap { $0 > .zero ? $0 : nil }
      } ?? .seconds(15)
    let maximumBytes =
      try arguments.value("--max-bytes", expected: "a size such as 64MB") {
        Units.bytes($0).flatMap { $0 > 0 ? $0 : nil }
      } ?? 64_000_000
    let allow = arguments.all("--allow")
    for entry in allow where !AddressPolicy.understands(entry) {
      throw UsageError(
        "--allow must be loopback, private or an address block such as 10.1.0.0/16, "
          + "found \"\(entry)\"")
    }
    // Who names the sources by hand may ask one host for all of them at once.
    var settings = FetchSettings(
      concurrency: concurrency, perHost: concurrency, timeout: timeout, maximumBytes: maximumBytes,
      addresses: AddressPolicy(allow: allow))
    settings.takeEnvironment()
    settings.permissionHint = { permission in "say --allow \(permission.filter { $0 != "\"" })" }
    return settings
  }

  /// Returns false where results are not heard.
  private static func tell(_ answer: Prober.Answer, isQuiet: Bool) -> Bool {
    switch answer.result {
    case .success(let header):
      return StandardStream.output.write(
        "\(answer.source): \(header.width) x \(header.height) \(header.format.rawValue)\n"
          .printableLine)
    case .failure where isQuiet: return true
    case .failure(let failure):
      let source = answer.source.isEmpty ? "" : "\(answer.source): "
      StandardStream.error.write("\(source)\(failure.message) (\(failure.code))\n".printableLine)
      return true
    }
  }

  private static func json(_ answer: Prober.Answer) -> String {
    var writer = JSONWriter()
    writer.object { object in
      object.member("source", answer.source)
      switch answer.result {
      case .success(let header):
        object.member("width", header.width)
        object.member("height", header.height)
        object.member("pixelWidth", header.pixelWidth)
        object.member("pixelHeight", header.pixelHeight)
        object.member("orientation", header.orientation.rawValue)
        object.member("format", header.format.rawValue)
        object.member("alpha", header.hasAlpha)
        if let isAnimated = header.isAnimated { object.member("animated", isAnimated) }
        if let frames = header.frames { object.member("frames", frames) }
        object.member("bitsPerChannel", header.bitsPerChannel)
        object.member("iccProfile", header.hasICCProfile)
      case .failure(let failure):
        object.name("error")
        object.object { group in
          group.member("code", failure.code)
          group.member("message", failure.message)
          group.member("retryable", failure.isRetryable)
        }
      }
      object.member("bytesRead", answer.bytesRead)
      object.member("requests", answer.requests)
    }
    return writer.text + "\n"
  }
}
