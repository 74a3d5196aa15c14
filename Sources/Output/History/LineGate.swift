internal import TesseraJSON
package import TesseraSystem

/// The one gate through which lines of images enter documents: it asks the marks of forgotten images.
///
/// Each line is admitted; ``confirm()`` comes right before a document gets its name, and ``settle(_:)`` after that, also if it
/// could not. Who forgets marks first, and erases then: either the marks are seen here, or the erasure sees the document.
package struct LineGate: Sendable {
  package let output: any Output
  let others: [any Output]
  private let marks: [ForgottenItems]

  /// - Parameter others: outputs that lines come from, whose marks count, too.
  package init(of output: any Output, and others: [any Output] = []) async throws(SystemError) {
    (self.output, self.others) = (output, others)
    var marks: [ForgottenItems] = []
    for output in [output] + others { marks.append(try await ForgottenItems.of(output)) }
    self.marks = marks
  }

  /// Whether no image was forgotten.
  package var isEmpty: Bool { marks.allSatisfy(\.isEmpty) }

  /// Of all marks; empty without any.
  var digest: String { marks.map(\.digest).filter { !$0.isEmpty }.joined(separator: " ") }

  package func admits(_ line: some Collection<UInt8>) -> Bool {
    isEmpty || !marks.contains { $0.has(line: Array(line)) }
  }

  /// - Parameter url: as the line shows it.
  func admits(id: String, url: String?) -> Bool {
    !marks.contains { $0.has(id: id) || url.map($0.has(shown:)) ?? false }
  }

  /// - Throws: if the image was forgotten: who made the line should have left it out.
  package func expect(_ line: some Collection<UInt8>) throws(SystemError) {
    guard admits(line) else { throw overtaken }
  }

  /// - Throws: if images were forgotten since this gate was made.
  package func confirm() async throws(SystemError) {
    guard try await isCurrent else { throw overtaken }
  }

  var isCurrent: Bool {
    get async throws(SystemError) {
      try await LineGate(of: output, and: others).digest == digest
    }
  }

  var overtaken: SystemError {
    .overtaken(
      output.location,
      "had images forgotten (tessera forget) while this worked on it; run the same command again")
  }
}

extension JSONValue {
  /// Without elements of arrays and members of objects that are of an image, at any depth.
  ///
  /// - Parameter words: texts by which a sentence names one of them.
  func withoutImages(
    naming words: [String] = [], _ isErased: (_ id: String) -> Bool
  ) -> JSONValue {
    withoutElements { element in
      if let id = element["id"]?.stringValue { return isErased(id) }
      let text = element.stringValue ?? element["message"]?.stringValue
      return text.map { text in words.contains { text.utf8.contains($0.utf8) } } ?? false
    }
  }

  /// Without those elements of arrays and members of objects that are to be removed, at any depth.
  private func withoutElements(_ isRemoved: (JSONValue) -> Bool) -> JSONValue {
    switch self {
    case .array(let values):
      .array(values.filter { !isRemoved($0) }.map { $0.withoutElements(isRemoved) })
    case .object(let members):
      .object(
        members.filter { member in
          if case .object = member.value { !isRemoved(member.value) } else { true }
        }.map { JSONValue.Member($0.name, $0.value.withoutElements(isRemoved)) })
    default: self
    }
  }
}
