internal import TesseraJSON
internal import TesseraSystem

/// A catalog that another one has replaced, and that can become the current one again.
package struct KeptCatalog: Sendable, Equatable {
  static let folder = ".tessera/catalogs"

  /// Where it is in the output. The name follows from its digest.
  package var path: String
  /// Where copies of its companions are, by the companions' paths.
  package var companions: [String: String]
  /// The number of its images; nil if its head states none.
  package var images: Int?
  package var bytes: Int
  /// The digest that its head states.
  package var digest: String
  /// When it was replaced, in seconds since 1970.
  package var time: Int

  init(
    path: String, companions: [String: String], images: Int?, bytes: Int, digest: String, time: Int
  ) {
    (self.path, self.companions, self.images) = (path, companions, images)
    (self.bytes, self.digest, self.time) = (bytes, digest, time)
  }

  static func path(digest: String) -> String { "\(folder)/\(digest.prefix(32)).json" }

  /// - Parameter companion: such as `screens/feed/first.json`.
  static func path(digest: String, companion: String) -> String {
    "\(folder)/\(digest.prefix(32)).\(companion.replacing("/", with: "."))"
  }

  /// An entry of the list; nil if a member is missing, or leads to another folder.
  init?(_ json: JSONValue) {
    guard let path = json["path"]?.stringValue, Self.isPath(path),
      let bytes = json["bytes"]?.intValue, let digest = json["digest"]?.stringValue,
      let time = json["time"]?.intValue
    else { return nil }
    var companions: [String: String] = [:]
    if case .object(let members)? = json["companions"] {
      for member in members { companions[member.name] = member.value.stringValue }
    }
    guard companions.keys.allSatisfy(ScreenFolder.isFirst),
      companions.values.allSatisfy(Self.isPath)
    else { return nil }
    self.init(
      path: path, companions: companions, images: json["images"]?.intValue, bytes: bytes,
      digest: digest,
      time: time)
  }

  static func isPath(_ path: String) -> Bool {
    path.wholeMatch(of: /\.tessera\/catalogs\/[0-9a-f]{32}(\.[A-Za-z0-9_-]+)*\.json/) != nil
  }

  func write(to entry: inout JSONWriter) {
    entry.member("path", path)
    if !companions.isEmpty {
      entry.name("companions")
      entry.object { list in
        for (companion, path) in companions.sorted(by: { $0.key < $1.key }) {
          list.member(companion, path)
        }
      }
    }
    if let images { entry.member("images", images) }
    entry.member("bytes", bytes)
    entry.member("digest", digest)
    entry.member("time", time)
  }
}

/// The list of kept catalogs, the newest first.
package struct KeptCatalogs: Sendable, Equatable {
  private static let schema = "tessera-kept-catalogs/1"

  /// How many are kept beside the current one, and for how long (`keep-catalogs`).
  package var retention: CatalogRetention
  package var catalogs: [KeptCatalog]
  /// The digest of the marks of forgotten images without which all documents are known to be; empty without marks.
  package var marks: String

  init(_ retention: CatalogRetention, _ catalogs: [KeptCatalog] = [], marks: String = "") {
    (self.retention, self.catalogs, self.marks) = (retention, catalogs, marks)
  }

  /// When a catalog is dropped at the latest, in seconds since 1970.
  package func end(of kept: KeptCatalog) -> Double { Double(kept.time) + retention.age }

  /// If the clock was set back, a time in the future would keep a catalog indefinitely.
  func isYoung(_ kept: KeptCatalog, now: Double) -> Bool {
    Double(kept.time) <= now + retention.age && now < end(of: kept)
  }

  /// Those that can take the place of the current one: after a rollback, and after a run that was killed,
  /// the list has the current one, too.
  ///
  /// - Parameter current: the path that the current catalog has, or would have, in the list.
  package func others(than current: String?) -> [KeptCatalog] {
    catalogs.filter { $0.path != current }
  }

  /// Puts a catalog first, which is about to be replaced, and drops the oldest ones beyond the limit.
  ///
  /// - Parameter next: the path of the catalog that replaces it. An entry of it stays, and does not count.
  mutating func keep(_ replaced: KeptCatalog?, before next: String, now: Double) {
    let rest = catalogs.filter { $0.path != replaced?.path && isYoung($0, now: now) }
    var room = retention.count
    catalogs = ((replaced.map { [$0] } ?? []) + rest).filter { entry in
      if entry.path == next { return retention.count > 0 }
      room -= 1
      return room >= 0
    }
  }

  var document: [UInt8] {
    var writer = JSONWriter(indent: 2)
    writer.object { object in
      object.member("schema", Self.schema)
      object.member("limit", retention.count)
      object.member("age", Int(retention.age))
      if retention.changes > 0 { object.member("changes", retention.changes) }
      if !marks.isEmpty { object.member("marks", marks) }
      object.name("catalogs")
      object.array { list in for entry in catalogs { list.object { entry.write(to: &$0) } } }
    }
    return writer.take() + [UInt8(ascii: "\n")]
  }

  /// Nil for bytes that ``document`` did not make.
  init?(document bytes: [UInt8]) {
    guard let json = try? JSONParser.parse(bytes), json["schema"]?.stringValue == Self.schema,
      let limit = json["limit"]?.intValue, let list = json["catalogs"]?.arrayValue
    else { return nil }
    let catalogs = list.compactMap(KeptCatalog.init)
    guard catalogs.count == list.count else { return nil }
    let age = json["age"]?.doubleValue ?? CatalogRetention.usualAge
    let changes = json["changes"]?.intValue ?? 0
    self.init(
      CatalogRetention(count: limit, age: age, changes: changes), catalogs,
      marks: json["marks"]?.stringValue ?? "")
  }
}

/// Which earlier catalogs an output keeps.
package struct CatalogRetention: Sendable, Equatable {
  /// How many beside the current one.
  package var count: Int
  /// How long after it was replaced each of them is kept, in seconds.
  package var age: Double

  /// For how many of them there are changes that lead to the current one.
  package var changes: Int

  package init(count: Int, age: Double, changes: Int = 0) {
    (self.count, self.age, self.changes) = (count, age, changes)
  }

  /// How long `prune` lets an unnamed file stay by default, in seconds.
  package static let pruneGrace = 7.0 * 86_400

  /// The default of pipeline files.
  static let usualAge = 7.0 * 86_400
}
