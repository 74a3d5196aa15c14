enum WarmCommand: Command {
  static let name = "warm"
  static let summary = "request every file of an image service once"

  static let syntax = Syntax(
    [.one("OUTPUT", .folders)],
    text: """
      Requests every file that an image service makes ("delivery" in the pipeline) once, so that its
      caches have them before the first visitor comes: after a deploy, or a new size. A few at a time;
      a service that is busy is waited for as it says. Each file is compared with the catalog.
      """,
    options: DeliveryOptions.all,
    example: Example(
      "tessera warm build/feed --concurrency 8", "Eight files at a time."),
    statuses: [
      ExitMeaning(.done, "every file is as the catalog says"),
      ExitMeaning(.someFailed, "a file can't be fetched, or differs"),
      ExitMeaning(.failed, "there is no catalog, or no image service"),
    ])

  static func run(_ arguments: Arguments) async throws -> ExitStatus {
    let isJSON = arguments.has(CommonFlag.json)
    let warming = Warming(arguments.operands[0], try DeliveryOptions.access(arguments))
    let report = try await warming.run { problem in
      if !isJSON { Console.line("\(problem.id): the file \(problem.path) \(problem.reason)") }
    }
    if isJSON {
      Console.write(report)
    } else if !arguments.has(CommonFlag.quiet) {
      let verdict =
        report.problemCount == 0 ? "no problems" : Amount.count(report.problemCount, "problem")
      Console.line(
        "\(Amount.count(report.files, "file")) of \(Amount.count(report.images, "image")), "
          + "\(Amount.bytes(report.bytes)): \(verdict)")
    }
    return report.problemCount == 0 ? .done : .someFailed
  }
}
