internal import TesseraJSON

/// One key of the pipeline file, declared once: its type, where it is stored, what it shapes and what it is for.
///
/// Everything that is said of a key comes from its declaration: the decoder with its messages, the JSON Schema, the
/// manual page, the list in `Pipelines/KEYS.md`, and the fingerprints. Its default is the stored property's.
///
/// `Root` is what the key's group is stored in.
///
/// What makes keys and their types is compiled once, and not for each type of value (`specialize.generic.never`): that was an
/// eighth of the machine code, and a third of the time that this module takes to build.
struct Key<Root: Sendable>: Sendable {
  let name: String
  /// The name that it had in the minor version before, which still works, with a warning; nil if it is not a renamed key.
  let formerly: String?
  let isRequired: Bool
  /// Reads the key of a group, if the file has it.
  let read: @Sendable (KeyGroup, inout Root) -> Void
  /// The value as a file has it; nil for what no file can say.
  let json: @Sendable (Root) -> JSONValue?
  let note: @Sendable (Root) -> KeyNote
  /// What ``PipelineFile/shape(_:)`` has of the key and of the keys below it.
  let lines: @Sendable (Root, _ prefix: String, Set<Shaping>) -> [String]
  /// The paths of the key, or of those below it, that need something.
  let paths: @Sendable (_ prefix: String, Need) -> [String]
  /// What a group lacks without the key: "a path".
  let expected: String

  /// - Parameters:
  ///   - storage: where the value is. What is there before the file is read is the default.
  ///   - shapes: what changes with the value; a group's keys say so themselves.
  ///   - formerly: the name that it had in the minor version before.
  ///   - example: a value for documentation, for a key without a default.
  ///   - use: who needs it; of a key at the top.
  @_semantics("optimize.sil.specialize.generic.never")
  init<Value>(
    _ name: String, _ type: KeyType<Value>, _ storage: any WritableKeyPath<Root, Value> & Sendable,
    shapes: Shaping = .nothing, needs: Need? = nil, isRequired: Bool = false,
    formerly: String? = nil, example: JSONValue? = nil, use: KeyUse = .everyday, _ about: String
  ) {
    (self.name, self.isRequired, expected) = (name, isRequired, type.expected)
    self.formerly = formerly
    read = { group, root in
      guard let node = group.node(name) else { return }
      let place = KeyPlace("\(group.prefix)\(name)", group.context)
      if let value = type.read(node, place, root[keyPath: storage]) {
        root[keyPath: storage] = value
      }
    }
    json = { type.json($0[keyPath: storage]) }
    note = { root in
      let value = root[keyPath: storage]
      return KeyNote(
        name: name, isRequired: isRequired, about: about, schema: type.schema(value),
        shapes: shapes,
        standard: isRequired || !type.keys.isEmpty ? nil : type.json(value), example: example,
        isConditional: needs == .search, use: use, members: type.keys.map { $0.note(value) })
    }
    lines = { root, prefix, wanted in
      let value = root[keyPath: storage]
      let own = wanted.contains(shapes) ? ["\(prefix)\(name) \(type.text(value))"] : []
      return own + type.keys.flatMap { $0.lines(value, "\(prefix)\(name).", wanted) }
    }
    paths = { prefix, need in
      (needs == need ? ["\(prefix)\(name)"] : [])
        + type.keys.flatMap { $0.paths("\(prefix)\(name).", need) }
    }
  }
}

/// What has to be there for a key to have an effect.
enum Need: Sendable {
  /// Files that a run makes, and not an image service.
  case files
  /// A quality that is found for each image.
  case search
}
