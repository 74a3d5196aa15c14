internal import TesseraPipeline
internal import TesseraWire

extension Doctor {
  /// What `doctor` prints: a line for each thing, and one for each that does not work.
  package var lines: [String] {
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
  package static var shortfallsOfMachine: [String] {
    MachineFacts.current().findings.compactMap(problem)
  }
}
