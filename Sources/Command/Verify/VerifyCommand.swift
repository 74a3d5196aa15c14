enum VerifyCommand: Command {
  static let name = "verify"
  static let summary = "every file the catalog names is there, whole, and of the stated size"

  private static let deep = Flag(
    "--deep", "read every file, and compare its SHA-256 with that of what was published")
  private static let removeBroken = Flag(
    "--remove-broken", "delete broken files, so that the next run regenerates them")

  private static let sample = Option.number(
    "--sample", "fetch N files of an image service, chosen by chance", in: 1...1_000_000)

  static let syntax = Syntax(
    [OutputOptions.operand],
    text: """
      Checks every file that the catalog of an output names: whether it exists, has as many bytes and
      pixels as the catalog says, and with --deep whether it has the SHA-256 that the state, or a catalog
      of the full profile, has of it; and whether the catalog itself is as it was written. With --sample,
      files that an image service makes are fetched, and compared with the catalog.
      """,
    options: [deep, removeBroken, OutputOptions.state, sample] + DeliveryOptions.all,
    example: Example(
      "tessera verify build/feed --deep", "Reads every file, and names those that are damaged."),
    statuses: [
      ExitMeaning(.done, "no problems"),
      ExitMeaning(.someFailed, "a file has a problem"),
      ExitMeaning(.failed, "there is no catalog, or it can't be read"),
      ExitMeaning(.busy, "a run holds the output (with --remove-broken)"),
    ])

  static func run(_ arguments: Arguments) async throws -> ExitStatus {
    let isJSON = arguments.has(CommonFlag.json)
    let output = try OutputOptions.output(arguments, of: Self.self)
    let verification = Verification(
      output.root, isDeep: arguments.has(deep), removesBroken: arguments.has(removeBroken),
      state: output.state, store: output.store, sample: try arguments.value(sample) ?? 0,
      access: try DeliveryOptions.access(arguments))
    let report = try await verification.run(repaired: Console.warn) { problem in
      if !isJSON {
        Console.line(
          (problem.id.isEmpty ? "" : "\(problem.id): ")
            + "the file \(problem.path) \(problem.reason)")
      }
    }
    if isJSON {
      Console.write(report)
    } else if !arguments.has(CommonFlag.quiet) {
      for path in report.drafts {
        Console.line(
          "the file \(path) was left by a process that was killed; the next run removes it, and so does "
            + "verify --remove-broken")
      }
      Console.line(summary(of: report, removes: arguments.has(removeBroken)))
    }
    return report.problemCount == 0 ? .done : .someFailed
  }

  private static func summary(of report: VerifyReport, removes: Bool) -> String {
    let verdict =
      report.problemCount == 0 ? "no problems" : Amount.count(report.problemCount, "problem")
    let removed =
      removes && report.problemCount > 0
      ? "; \(Amount.count(report.removed, "file")) deleted, run again to regenerate what is missing"
      : ""
    let unknown =
      report.withoutDigest > 0
      ? "; \(Amount.count(report.withoutDigest, "file")) could not be compared, because neither the state nor the catalog has "
        + "a digest" : ""
    let served =
      report.served > 0 && report.bytes == 0
      ? "; \(Amount.count(report.served, "file")) of an image service not requested (--sample fetches some)"
      : ""
    return "\(Amount.count(report.files, "file")) of \(Amount.count(report.images, "image")): "
      + verdict + removed + unknown + served
  }
}
