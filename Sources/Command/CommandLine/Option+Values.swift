internal import TesseraText

// The kinds of values that several options share, each with one wording of what is expected.

extension Option<String> {
  /// Any text.
  init(
    _ name: String, _ placeholder: String, _ help: String,
    completes completion: Completion = .nothing
  ) {
    self.init(name, placeholder, help, expected: "a text", completes: completion) { $0 }
  }
}

extension Option<String> {
  /// A path of this machine: what is written there is no object of a store.
  ///
  /// - Parameter isStream: whether `-` stands for standard output.
  static func path(
    _ name: String, _ placeholder: String, _ help: String, orStream isStream: Bool = false,
    completes completion: Completion = .files
  ) -> Option<String> {
    Option(
      name, placeholder, help, expected: LocalPath.expected(orStream: isStream),
      completes: completion
    ) { text in LocalPath.isOne(text, orStream: isStream) ? text : nil }
  }

  /// An output: a folder, or a place in an object store.
  static func output(_ name: String, _ help: String) -> Option<String> {
    Option(
      name, "DIR", help, expected: "a path, or s3://bucket/prefix", completes: .folders
    ) { [.path, .store].contains(Place($0)) ? $0 : nil }
  }
}

/// A path of this machine, as a command line has it.
enum LocalPath {
  static func expected(orStream isStream: Bool) -> String {
    "a path of this machine\(isStream ? ", or -," : "") and no URL (copy what is written there to a store)"
  }

  static func isOne(_ text: String, orStream isStream: Bool) -> Bool {
    switch Place(text) {
    case .path: true
    case .stream: isStream
    case .store, .url: false
    }
  }

  /// An operand.
  ///
  /// - Parameter name: as help has it: `DIR`.
  static func operand(_ text: String, _ name: String) throws(UsageError) -> String {
    // A folder may have the name "-".
    guard isOne(text, orStream: true) else {
      throw UsageError(
        "\(name) must be \(expected(orStream: false)), found \"\(SourceURL.withoutUserInfo(text))\""
      )
    }
    return text
  }
}

extension Option<Duration> {
  /// A duration with its unit: `15s`, `50m`, `7d`.
  ///
  /// - Parameter allowsZero: whether `0s` is a value, too.
  static func duration(
    _ name: String, _ help: String, allowsZero: Bool = false
  ) -> Option<Duration> {
    let kind = allowsZero ? "a duration" : "a duration above zero"
    return Option(name, "TIME", help, expected: "\(kind), such as 15s, 50m or 7d") { text in
      Units.duration(text).flatMap { $0 > .zero || allowsZero ? $0 : nil }
    }
  }
}

extension Option<Int> {
  /// A whole number; without an upper bound if `range` ends at `Int.max`.
  static func number(
    _ name: String, _ help: String, in range: ClosedRange<Int>
  ) -> Option<Int> {
    let upperBound = range.upperBound == .max ? "" : " to \(range.upperBound)"
    let expected = "a whole number from \(range.lowerBound)\(upperBound)"
    return Option(name, "N", help, expected: expected) { text in
      Int(text).flatMap { range.contains($0) ? $0 : nil }
    }
  }

  /// A positive number of bytes: `64MB`.
  static func bytes(_ name: String, _ help: String) -> Option<Int> {
    Option(name, "SIZE", help, expected: "a size such as 64MB") { text in
      Units.bytes(text).flatMap { $0 > 0 ? $0 : nil }
    }
  }
}

extension Option where Value: RawRepresentable<String> & CaseIterable {
  /// One of a few words.
  static func choice(_ name: String, _ placeholder: String, _ help: String) -> Option {
    let choices = Value.allCases.map(\.rawValue)
    return Option(
      name, placeholder, help, expected: "one of \(choices.joined(separator: ", "))",
      completes: .words(choices)
    ) { Value(rawValue: $0) }
  }
}
