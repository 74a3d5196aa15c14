enum ProbeCommand: Command {
  static let name = "probe"
  static let summary = "the sizes of images, from their first bytes"

  private static let timeout = Option.duration(
    "--timeout", "to connect, and to the first byte; default 15s")
  private static let concurrency = Option.number(
    "--concurrency", "images probed at a time; default 16", in: 1...256)
  private static let maximumBytes = Option.bytes(
    "--max-bytes", "read at most this much of one image; default 64MB")

  static let syntax = Syntax(
    [.any("URL|FILE|-", .files)],
    text: """
      Prints the displayed size of each image, in the order of the operands, and reads no more of an
      image than that takes: servers are sent range requests. "-", or no operand at all, reads a list
      from standard input, with a URL or a file on each line. With --json, one object on each line.
      """,
    options: [NetworkOptions.allow, timeout, concurrency, maximumBytes],
    example: Example(
      "tessera probe --json https://example.com/a.jpg b.png",
      "One line of JSON for each of two images, with its size and its format."),
    statuses: [
      ExitMeaning(.done, "every size is known"),
      ExitMeaning(.someFailed, "some images have no size"),
      ExitMeaning(.failed, "the list can't be read"),
    ])

  static func run(_ arguments: Arguments) async throws -> ExitStatus {
    // A person at a terminal would wait for an answer while the command waits for a list.
    if arguments.operands.isEmpty && Console.isInputTerminal {
      throw UsageError.operands("missing", syntax, command: name)
    }
    // The defaults are those of `fetch` in a pipeline file.
    let session = ProbeSession(
      concurrency: try arguments.value(concurrency) ?? 16,
      timeout: try arguments.value(timeout) ?? .seconds(15),
      maximumBytes: try arguments.value(maximumBytes) ?? 64_000_000,
      allow: try arguments.all(NetworkOptions.allow))
    let isJSON = arguments.has(CommonFlag.json)
    let isQuiet = arguments.has(CommonFlag.quiet)
    let sources = arguments.operands.isEmpty ? ["-"] : arguments.operands
    let isComplete = try await session.run(sources) { answer in
      isJSON ? Console.write(answer.json) : print(answer, isQuiet: isQuiet)
    }
    return isComplete ? .done : .someFailed
  }

  /// Returns false if results can't be written any more.
  private static func print(_ answer: ProbeReport, isQuiet: Bool) -> Bool {
    if let image = answer.image {
      return Console.line("\(answer.source): \(image.width) x \(image.height) \(image.format)")
    }
    if let failure = answer.problem, !isQuiet {
      let source = answer.source.isEmpty ? "" : "\(answer.source): "
      Console.message("\(source)\(failure.message) (\(failure.code))")
    }
    return true
  }
}
