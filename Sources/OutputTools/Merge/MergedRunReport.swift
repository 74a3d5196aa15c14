internal import TesseraJSON

/// The `run.json` of a whole run, put together from those of its shards: sums, and the longest time and the
/// highest memory of any of them.
struct MergedRunReport {
  private var sum: JSONValue?

  /// Lists that grow with the shards keep this many entries.
  private static let kept = 100
  private static let keptSlowest = 10
  /// What is not added up.
  private static let maxima: Set<String> = ["seconds", "peakMemoryBytes"]

  mutating func add(_ report: JSONValue) {
    sum = sum.map { Self.combined($0, report, "") } ?? report
  }

  /// Nil without any report.
  var json: [UInt8]? {
    guard let sum else { return nil }
    var writer = JSONWriter(indent: 2)
    writer.value(sum)
    return writer.take() + [UInt8(ascii: "\n")]
  }

  private static func combined(
    _ one: JSONValue, _ other: JSONValue, _ name: String
  ) -> JSONValue {
    switch (one, other) {
    case (.object(var members), .object(let others)):
      for member in others {
        if let index = members.firstIndex(where: { $0.name == member.name }) {
          // An example is of one shard as a whole.
          if name == "examples" { continue }
          members[index].value = combined(members[index].value, member.value, member.name)
        } else {
          // An error that no earlier shard had.
          members.append(member)
        }
      }
      return .object(
        ["errors", "examples"].contains(name) ? members.sorted { $0.name < $1.name } : members)
    case (.array(let values), .array(let others)): return combined(values, others, name)
    case (.number, .number):
      if maxima.contains(name) {
        return (one.doubleValue ?? 0) >= (other.doubleValue ?? 0) ? one : other
      }
      if let count = one.intValue, let second = other.intValue { return .int(count + second) }
      return .number("\((one.doubleValue ?? 0) + (other.doubleValue ?? 0))")
    // The first start; the schema is the same in all.
    case (.string(let text), .string(let second)): return .string(min(text, second))
    default: return one
    }
  }

  /// A host that several shards were banned by is one. Hosts that the reports don't name stay apart.
  private static func mergedBans(_ bans: [JSONValue]) -> [JSONValue] {
    bans.reduce(into: []) { merged, ban in
      let host = ban["host"]?.stringValue
      if host != nil, let index = merged.firstIndex(where: { $0["host"]?.stringValue == host }) {
        merged[index] = combined(merged[index], ban, "ban")
      } else {
        merged.append(ban)
      }
    }
  }

  private static func combined(
    _ values: [JSONValue], _ others: [JSONValue], _ name: String
  ) -> JSONValue {
    if name == "slowest" {
      let all = values + others
      func seconds(_ value: JSONValue) -> Double { value["seconds"]?.doubleValue ?? 0 }
      return .array(Array(all.sorted { seconds($0) > seconds($1) }.prefix(keptSlowest)))
    }
    if name == "bans" { return .array(Array(mergedBans(values + others).prefix(kept))) }
    // Each shard warns of the same kernel.
    let new = others.filter { !values.contains($0) }
    return .array(Array((values + new).prefix(kept)))
  }
}
