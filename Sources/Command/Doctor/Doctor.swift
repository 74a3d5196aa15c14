internal import TesseraImageHeader
internal import TesseraJSON
internal import TesseraNet
internal import TesseraOutput
internal import TesseraPipeline
internal import TesseraPipelineFile
internal import TesseraPlan
internal import TesseraSystem
internal import TesseraWorkers

/// What this machine can do for a run.
struct Doctor: Sendable {
  var libvips: String
  /// The version of Landlock, which leaves workers only libraries and fonts; 0 if the kernel has none.
  var landlock: Int
  /// Whether a seccomp filter keeps workers from the network and from starting processes.
  var hasSeccomp: Bool
  var checks: [ExaminationCheck]
  /// The processors that a run uses.
  var processors: Int
  /// What a run depends on besides libvips.
  var findings: [HealthCheck] = []

  init(
    libvips: String, landlock: Int, hasSeccomp: Bool, checks: [ExaminationCheck], processors: Int,
    findings: [HealthCheck] = []
  ) {
    (self.libvips, self.landlock, self.hasSeccomp) = (libvips, landlock, hasSeccomp)
    (self.checks, self.processors, self.findings) = (checks, processors, findings)
  }

  /// - Parameters:
  ///   - workerPath: the path of `tessera-worker`.
  ///   - places: outputs and http(s) URLs. Without a URL nothing is sent to the network, apart from the
  ///     requests to an object store that an output is in.
  ///   - allow: networks besides the public internet.
  static func examine(
    workerPath: String, places: [String] = [], allow: [String] = []
  ) async throws -> Doctor {
    var doctor = try await examine(workerPath: workerPath)
    doctor.findings = MachineFacts.current().findings
    var settings = FetchSettings(addresses: AddressPolicy(allow: allow))
    settings.takeEnvironment()
    for place in places {
      doctor.findings +=
        isURL(place)
        ? await RouteChecks.examine(place, settings).findings
        : await OutputFacts.examine(place).findings
    }
    return doctor
  }

  /// Whether an operand is a URL to be requested, and not an output.
  static func isURL(_ place: String) -> Bool {
    place.hasPrefix("http://") || place.hasPrefix("https://")
  }

  /// Whether an operand can be examined: an output on a disk or in a store, or a URL to be requested.
  static func takes(_ place: String) -> Bool {
    !place.contains("://") || isURL(place) || OpenOutput.isInStore(place)
  }

  /// Whether an operand looks like a URL without its `https://`: a host and a path. A folder of that name, or
  /// of the host's, makes it an output.
  static func isHostWithPath(_ place: String) -> Bool {
    let host = place.prefix { $0 != "/" }
    return host.count < place.count && host.contains(".") && !host.hasPrefix(".")
      && !FileSystem.exists(String(host))
  }

  private static func examine(workerPath: String) async throws -> Doctor {
    // The defaults of `limits` in a pipeline file.
    let budget = WorkerBudget(
      requested: nil, processors: Host.processors, memory: 2_000_000_000,
      available: Host.memoryLimit)
    let settings = WorkerSettings(
      executable: workerPath, count: 1, memory: budget.memory, time: .seconds(60))
    let found = try await WorkerExamination.perform(settings)
    return Doctor(
      libvips: found.capabilities.libvips, landlock: found.capabilities.confinement.landlock,
      hasSeccomp: found.capabilities.confinement.hasSeccomp, checks: found.checks,
      processors: Host.processors)
  }

  var isWell: Bool {
    checks.allSatisfy { $0.problem == nil || $0.optionalKey != nil }
      && findings.allSatisfy { $0.problem == nil }
  }

  /// The document that `doctor --json` prints.
  var json: [UInt8] { DoctorDocument(self).json }
}

private struct DoctorDocument: JSONDocument {
  let schema = "tessera-doctor/1"
  let version = Version.number
  let libvips: String
  let processors, landlock: Int
  let seccomp: Bool
  let checks, findings: [Check]

  struct Check: Encodable {
    let kind: String
    let subject, value: String?
    let ok: Bool
    let problem, fix: String?
  }

  init(_ doctor: Doctor) {
    (libvips, processors) = (doctor.libvips, doctor.processors)
    (landlock, seccomp) = (doctor.landlock, doctor.hasSeccomp)
    checks = doctor.checks.map { check in
      Check(
        kind: check.kind.rawValue, subject: check.subject, value: nil, ok: check.problem == nil,
        problem: check.problem, fix: nil)
    }
    findings = doctor.findings.map { finding in
      Check(
        kind: finding.kind.rawValue, subject: finding.subject.isEmpty ? nil : finding.subject,
        value: finding.value, ok: finding.problem == nil, problem: finding.problem,
        fix: finding.fix)
    }
  }
}

extension ExaminationCheck {
  /// The key of the pipeline file that needs it, if only a pipeline does that names it there.
  var optionalKey: String? {
    switch kind {
    case .read: PipelineFile.defaultAccept.contains { $0.rawValue == subject } ? nil : "accept"
    case .write: OutputFormat(rawValue: subject)?.isForFewPrograms == true ? "variants.format" : nil
    case .turn, .colour: nil
    }
  }
}

extension Doctor {
  /// What `doctor` prints: a line for each thing, and one for each that does not work.
  var lines: [String] {
    let heading =
      "tessera \(Version.number), libvips \(libvips), "
      + "\(processors) processor\(processors == 1 ? "" : "s")"
    return [heading] + abilities + found + problems
  }

  private static func line(_ label: String, _ text: String) -> String {
    label + String(repeating: " ", count: max(1, 10 - label.count)) + text
  }

  private var abilities: [String] {
    func list(_ kind: ExaminationCheck.Kind, separator: String = " ") -> String {
      let working = checks.filter { $0.kind == kind && $0.problem == nil }
      return working.isEmpty ? "nothing" : working.map(\.subject).joined(separator: separator)
    }
    return [
      Self.line("reads", list(.read)), Self.line("writes", list(.write)),
      Self.line("turns", "orientations \(list(.turn))"),
      Self.line("colours", list(.colour, separator: ", ")),
      Self.line(
        "files",
        landlock > 0
          ? "workers only reach libraries and fonts (Landlock \(landlock))"
          : "this kernel can't keep workers from files (no Landlock)"),
      Self.line(
        "network",
        hasSeccomp
          ? "workers have none, and can't start processes (seccomp)"
          : "this kernel can't keep workers from it (no seccomp)"),
    ]
  }

  private var found: [String] {
    var (subject, label) = ("", "")
    return findings.flatMap { finding in
      var lines: [String] = []
      if finding.subject != subject {
        (subject, label) = (finding.subject, "")
        lines.append(Self.line(Self.isURL(subject) ? "url" : "output", subject))
      }
      // What is found of an output or a URL is indented; the machine has a clock and names, too.
      let kind = (subject.isEmpty ? "" : "  ") + finding.kind.rawValue
      lines.append(Self.line(kind == label ? "" : kind, finding.value))
      label = kind
      return lines
    }
  }

  private var problems: [String] {
    checks.compactMap { check in
      check.problem.map {
        "can't \(check.kind.rawValue) \(check.subject): \($0)"
          + (check.optionalKey.map { "; only a pipeline that names it (\($0)) needs it" } ?? "")
      }
    }
      + findings.compactMap(Self.problem)
  }

  private static func problem(_ finding: HealthCheck) -> String? {
    finding.problem.map { "\($0); \(finding.fix.map { "to repair it: \($0)" } ?? "")" }
  }

  /// What this machine lacks, where not even a worker can be started to find out more.
  static var shortfallsOfMachine: [String] {
    MachineFacts.current().findings.compactMap(problem)
  }
}
