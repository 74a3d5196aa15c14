internal import TesseraJSON
internal import TesseraSystem

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
    var writer = JSONWriter(indent: 2)
    var failure: (any Error)?
    writer.object { object in
      object.name("changes")
      var outcome: (report: Report, digests: (old: String, new: String))?
      object.array { list in
        do {
          let digests = try digests()
          let report = try run(onChange: { change in
            list.object { change.write(to: &$0) }
            write(list.take())
          })
          outcome = (report, digests)
        } catch {
          failure = error
        }
      }
      if let outcome {
        object.member("old", outcome.digests.old)
        object.member("new", outcome.digests.new)
        outcome.report.write(to: &object)
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
