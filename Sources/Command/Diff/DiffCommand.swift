internal import TesseraJSON
internal import TesseraSystem

enum DiffCommand: Command {
  static let name = "diff"
  static let summary = "what changed between two catalogs; --changes writes them for apps"

  private static let changes = Flag("--changes", "write only the changes to standard output")

  static let syntax = Syntax(
    [.one("OLD", .files), .optional("NEW", .files)],
    text: """
      Compares two catalogs, given as files or as the outputs that hold them; one output alone with the
      catalog that its current one has replaced (keep-catalogs). Prints a line for each image
      that was added (+), removed (-) or changed (~), with the names of the members that differ. With
      --changes, what an app that has the old catalog needs: the digests of both catalogs (from, to),
      the first line of the new one, and its lines, as ranges of the old lines where these are the
      same. With --json, also the digests.
      """,
    options: [changes],
    example: Example(
      "tessera diff --changes old.json build/feed",
      "The changes for an app that has the old catalog."),
    statuses: [
      ExitMeaning(.done, "compared"),
      ExitMeaning(.failed, "a catalog can't be read"),
    ])

  static func run(_ arguments: Arguments) async throws -> ExitStatus {
    // From object stores, catalogs are copied; the copies are removed together with these values.
    var outputs: [LocalOutput] = []
    for name in arguments.operands { outputs.append(try await LocalOutput(name)) }
    defer { withExtendedLifetime(outputs) {} }
    let old = outputs.count > 1 ? outputs[0].path : try await outputs[0].expectCatalogBefore().path
    let diff = CatalogDiff(old: old, new: outputs[outputs.count - 1].path)
    if arguments.has(changes) {
      try diff.writeChanges { Console.write($0) }
    } else if arguments.has(CommonFlag.json) {
      try writeJSON(of: diff)
    } else {
      let report = try diff.run(onChange: { Console.line(line($0)) })
      if !arguments.has(CommonFlag.quiet) { Console.message(summary(of: report)) }
    }
    return .done
  }

  private static func line(_ change: CatalogDiff.Change) -> String {
    switch change {
    case .added(let id): "+ \(id)"
    case .removed(let id): "- \(id)"
    case .changed(let id, let members): "~ \(id): \(members.joined(separator: ", "))"
    }
  }

  private static func summary(of report: CatalogDiff.Report) -> String {
    var text =
      "\(Amount.count(report.added, "image")) added, \(report.removed) removed, "
      + "\(report.changed) changed, \(report.same + report.moved) the same"
    if report.moved > 0 { text += ", \(report.moved) of them moved" }
    if !report.members.isEmpty {
      text += "; other members changed: \(report.members.joined(separator: ", "))"
    }
    return text
  }

  private static func writeJSON(of diff: CatalogDiff) throws {
    var hasBegun = false
    do {
      try diff.writeJSON {
        hasBegun = true
        Console.write($0)
      }
    } catch  where hasBegun {
      // The document on standard output states the error already.
      throw AlreadyPrintedError(error)
    }
  }
}

extension CatalogDiff {
  /// What happened to one image.
  enum Change: Sendable, Equatable {
    case added(String)
    case removed(String)
    /// With the names of the members that differ.
    case changed(String, members: [String])
  }

  struct Report: Sendable, Equatable {
    var added = 0
    var removed = 0
    var changed = 0
    var same = 0
    /// Images that are followed by another image than before, and are otherwise the same.
    var moved = 0
    /// Members of the catalog itself that differ: `slots`, `pipeline`.
    var members: [String] = []

    init() {}

    var isEmpty: Bool { added + removed + changed + moved == 0 && members.isEmpty }
  }

  /// Compares the catalogs, and writes what `diff --json` prints, as it is found.
  ///
  /// After an error, the document is complete, too: it has an `error` in the place of the counts.
  ///
  /// - Parameter write: called with the parts of the document.
  func writeJSON(
    _ write: ([UInt8]) -> Void
  ) throws {
    // First: a catalog that is not there is an error like any other.
    let digests = try digests()
    var writer = JSONWriter(indent: 2)
    var failure: (any Error)?
    writer.object { object in
      object.member("schema", "tessera-diff/1")
      object.name("changes")
      var report: Report?
      object.array { list in
        do {
          report = try run(onChange: { change in
            list.object { change.write(to: &$0) }
            write(list.take())
          })
        } catch {
          failure = error
        }
      }
      if let report {
        object.member("old", digests.old)
        object.member("new", digests.new)
        report.write(to: &object)
      } else if let failure {
        object.name("error")
        object.value(ErrorReport(failure).members)
      }
    }
    write(writer.take() + [UInt8(ascii: "\n")])
    if let failure { throw failure }
  }
}

extension CatalogDiff.Change {
  fileprivate func write(to object: inout JSONWriter) {
    switch self {
    case .added(let id):
      object.member("change", "added")
      object.member("id", id)
    case .removed(let id):
      object.member("change", "removed")
      object.member("id", id)
    case .changed(let id, let members):
      object.member("change", "changed")
      object.member("id", id)
      object.name("members")
      object.array { list in for name in members { list.value(name) } }
    }
  }
}

extension CatalogDiff.Report {
  fileprivate func write(to object: inout JSONWriter) {
    object.member("added", added)
    object.member("removed", removed)
    object.member("changed", changed)
    object.member("same", same + moved)
    object.member("moved", moved)
    object.name("members")
    object.array { list in for name in members { list.value(name) } }
  }
}
