/// The member names of one object so far, to detect duplicates.
///
/// Names are compared as Swift strings, so two spellings of one text (U+00E9, and U+0065 U+0301)
/// count as duplicates: many readers store members in a dictionary, which would keep only one.
package struct MemberNames {
  /// Up to this many names, comparing them one by one is faster than hashing.
  private static let few = 16

  private var list: [String] = []
  private var set: Set<String> = []

  package init() {}

  /// Returns false if the name is a duplicate.
  package mutating func insert(_ name: String) -> Bool {
    if list.count < Self.few {
      if list.contains(name) { return false }
      list.append(name)
      return true
    }
    if set.isEmpty { set = Set(list) }
    return set.insert(name).inserted
  }
}
