internal import TesseraJSON
package import TesseraPipeline
internal import TesseraSystem
internal import TesseraWire
internal import TesseraWorkers

/// What this machine can do for a run.
package struct Doctor: Sendable {
  /// What a check attempts.
  package enum Kind: String, Sendable {
    /// Decode a format.
    case read
    /// Encode a format, and decode the result.
    case write
    /// Apply an orientation.
    case turn
    /// Convert colours to sRGB.
    case colour
  }

  package struct Check: Sendable {
    package var kind: Kind
    /// A format, an orientation, a kind of colour.
    package var subject: String
    /// A sentence without its full stop; nil if the check succeeded.
    package var problem: String?
  }

  package var libvips: String
  /// The version of Landlock, which leaves workers only libraries and fonts; 0 if the kernel has none.
  package var landlock: Int
  /// Whether a seccomp filter keeps workers from the network and from starting processes.
  package var hasSeccomp: Bool
  package var checks: [Check]
  /// The processors that a run uses.
  package var processors: Int

  /// - Parameter workerPath: the path of `tessera-worker`.
  package static func examine(workerPath: String) async throws(PipelineError) -> Doctor {
    // The defaults of `limits` in a pipeline file.
    let budget = WorkerBudget(
      requested: nil, processors: Host.processors, memory: 2_000_000_000,
      available: Host.memoryLimit)
    let settings = WorkerSettings(
      executable: workerPath, count: 1, memory: budget.memory, time: .seconds(60))
    do throws(WorkerStartError) {
      let found = try await WorkerExamination.perform(settings)
      return Doctor(
        libvips: found.hello.libvips, landlock: found.hello.confinement.landlock,
        hasSeccomp: found.hello.confinement.hasSeccomp, checks: found.checks.map(Check.init),
        processors: Host.processors)
    } catch {
      throw .workers(error.description)
    }
  }

  package var isWell: Bool { checks.allSatisfy { $0.problem == nil } }

  /// The document that `doctor --json` prints.
  package var json: [UInt8] {
    var writer = JSONWriter(indent: 2)
    writer.object { object in
      object.member("version", Version.number)
      object.member("libvips", libvips)
      object.member("processors", processors)
      object.member("landlock", landlock)
      object.member("seccomp", hasSeccomp)
      object.name("checks")
      object.array { list in for check in checks { list.object { check.write(to: &$0) } } }
    }
    return writer.take() + [UInt8(ascii: "\n")]
  }
}

extension Doctor.Check {
  fileprivate init(_ check: ExaminationCheck) {
    let kind: Doctor.Kind =
      switch check.kind {
      case .read: .read
      case .write: .write
      case .turn: .turn
      case .colour: .colour
      }
    self.init(kind: kind, subject: check.subject, problem: check.problem)
  }

  fileprivate func write(to entry: inout JSONWriter) {
    entry.member("kind", kind.rawValue)
    entry.member("subject", subject)
    entry.member("ok", problem == nil)
    if let problem { entry.member("problem", problem) }
  }
}
