internal import TesseraJSON
internal import TesseraOutputTools
internal import TesseraPipeline
internal import TesseraSystem

enum WhyCommand: Command {
  static let name = "why"
  static let summary = "what happened to one item, and why it was or was not done again"
  static let syntax = Syntax(
    operands: "OUTPUT ID", operandCount: 2...2,
    text: """
      Tells what the last run decided about one item of the manifest, and for what reason: whether its
      source was asked for, what the server said, whether it was decoded, and which files were reused.
      """,
    options: [])

  static func run(_ arguments: Arguments) async throws -> ExitStatus {
    let story = try await Story.of(arguments.operands[1], in: arguments.operands[0])
    StandardStream.output.write(arguments.has("--json") ? json(story) : text(story))
    return .done
  }

  private static func text(_ story: Story) -> String {
    var lines = [
      "\(story.id), line \(story.line) of the manifest: \(story.status ?? "not finished")"
    ]
    if let url = story.url { lines.append("  \(url)") }
    lines += story.decisions.map { "  - \($0)" }
    if let error = story.error { lines.append("  error: \(error)") }
    if let content = story.content { lines.append("  SHA-256 of its source: \(content)") }
    if let twin = story.twin { lines.append("  the same bytes as \(twin)") }
    return lines.map { $0.printable + "\n" }.joined()
  }

  private static func json(_ story: Story) -> String {
    var writer = JSONWriter(indent: 2)
    writer.object { object in
      object.member("id", story.id)
      object.member("line", story.line)
      if let status = story.status { object.member("status", status) }
      if let url = story.url { object.member("url", url) }
      object.name("decisions")
      object.array { list in for decision in story.decisions { list.value(decision) } }
      if let error = story.error { object.member("error", error) }
      if let content = story.content { object.member("sha256", content) }
      if let twin = story.twin { object.member("sameBytesAs", twin) }
    }
    return writer.text + "\n"
  }
}
