internal import TesseraJSON
internal import TesseraOutputTools
internal import TesseraPipeline
internal import TesseraSystem

enum DiffCommand: Command {
  static let name = "diff"
  static let summary = "what changed between two catalogs; --patch writes a JSON Merge Patch"
  static let syntax = Syntax(
    operands: "OLD NEW", operandCount: 2...2,
    text: """
      Compares two catalogs, given as files or as the outputs that hold them: a line for each picture
      that was added (+), removed (-) or changed (~), with the names of what is another. With --patch,
      what an app needs that has the old catalog: a JSON Merge Patch (RFC 7396) for its keyed form.
      With --json there are the SHA-256 digests of both catalogs' canonical JSON, too: a patch does
      not say which catalog it is for, so name it for the old one's.
      """,
    options: [.init("--patch", nil, "write the patch, and nothing else, to standard output")])

  static func run(_ arguments: Arguments) async throws -> ExitStatus {
    let diff = CatalogDiff(old: arguments.operands[0], new: arguments.operands[1])
    if arguments.has("--patch") {
      _ = try diff.run(tell: { _ in }, patch: { StandardStream.output.write($0) })
      return .done
    }
    if arguments.has("--json") {
      try writeJSON(of: diff)
      return .done
    }
    let report = try diff.run(tell: { StandardStream.output.write(line($0)) })
    if !arguments.has("--quiet") {
      var text =
        "\(Amount.count(report.added, "picture")) added, \(report.removed) removed, \(report.changed) changed, "
        + "\(report.same + report.moved) the same"
      if report.moved > 0 { text += ", \(report.moved) of them behind another than before" }
      if !report.members.isEmpty { text += "; others: \(report.members.joined(separator: ", "))" }
      StandardStream.error.write(text + "\n")
    }
    return .done
  }

  private static func line(_ change: CatalogDiff.Change) -> String {
    let text =
      switch change {
      case .added(let id): "+ \(id)"
      case .removed(let id): "- \(id)"
      case .changed(let id, let members): "~ \(id): \(members.joined(separator: ", "))"
      }
    return "\(text)\n".printableLine
  }

  private static func writeJSON(of diff: CatalogDiff) throws {
    var writer = JSONWriter(indent: 2)
    var failure: (any Error)?
    writer.object { object in
      object.name("changes")
      var report = CatalogDiff.Report()
      var digests = (old: "", new: "")
      object.array { list in
        do {
          digests = try diff.digests()
          report = try diff.run(tell: { change in
            list.object { write(change, to: &$0) }
            StandardStream.output.write(list.take())
          })
        } catch {
          failure = error
        }
      }
      // Changes may have been told by then: one document it is all the same.
      if let failure { return Tessera.write(failure, to: &object) }
      object.member("old", digests.old)
      object.member("new", digests.new)
      object.member("added", report.added)
      object.member("removed", report.removed)
      object.member("changed", report.changed)
      object.member("same", report.same + report.moved)
      object.member("moved", report.moved)
      object.name("members")
      object.array { list in for name in report.members { list.value(name) } }
    }
    StandardStream.output.write(writer.text + "\n")
    if let failure { throw ToldError(error: failure) }
  }

  private static func write(_ change: CatalogDiff.Change, to object: inout JSONWriter) {
    switch change {
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
