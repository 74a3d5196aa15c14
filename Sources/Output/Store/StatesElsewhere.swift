internal import TesseraJSON
internal import TesseraSystem

/// The states of an output in a store that are on machines, an object each: `.tessera/states/4711.json`. Each says where
/// it is, and nothing of any image. `forget` names those that it can't reach.
struct StatesElsewhere: Sendable {
  /// In which what they are written to has no fence: shards of one machine share a state.
  private let output: any Output

  static let folder = "\(StoredState.root)/states"

  init(in output: any Output) { self.output = output }

  private static func path(_ identifier: String) -> String { "\(folder)/\(identifier).json" }

  /// - Parameters:
  ///   - identifier: what is noted in the state itself, wherever it moves.
  ///   - state: its directory.
  func note(_ identifier: String, _ state: String) async throws {
    var writer = JSONWriter()
    writer.object { object in
      object.member("state", state)
      object.member("machine", Host.name)
    }
    let bytes = writer.take() + [UInt8(ascii: "\n")]
    try await output.write(Self.path(identifier), bytes)
  }

  /// Where they are: `"/var/lib/tessera/feed" on builder-3`.
  ///
  /// - Parameter own: the identifier of one that is left out.
  func all(but own: String?) async throws -> [String] {
    var found: [String] = []
    for entry in try await output.listIfThere(Self.folder) {
      let path = "\(Self.folder)/\(entry.name)"
      guard path != own.map(Self.path), case .file(let bytes) = entry.kind else { continue }
      let json = try? JSONParser.parse(try await output.read(path, bytes, at: 0))
      found.append(
        "\"\(json?["state"]?.stringValue ?? "?")\" on \(json?["machine"]?.stringValue ?? "?")")
    }
    return found.sorted()
  }
}
