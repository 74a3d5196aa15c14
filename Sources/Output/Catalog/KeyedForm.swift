package import TesseraJSON

/// The form of a catalog that patches are for.
///
/// RFC 7396 replaces an array as a whole. So in the keyed form `images` is an object, with the ids
/// as names. Each image has the id of the image after it as `next`, and the catalog has the first
/// id as `first`: in this order a new image changes its neighbours alone. `extra` is wrapped in an
/// array, because a patch can't set a member to null.
package enum KeyedForm {
  /// The catalog without its images.
  package static func head(_ head: JSONValue, first: String?) -> JSONValue {
    guard case .object(var members) = head else { return head }
    members.removeAll { $0.name == "images" }
    if let first { members.append(.init("first", .string(first))) }
    return .object(members)
  }

  /// One image, without its id.
  package static func image(_ image: JSONValue, next: String?) -> JSONValue {
    guard case .object(var members) = image else { return image }
    members.removeAll { $0.name == "id" }
    for index in members.indices where members[index].name == "extra" {
      members[index].value = .array([members[index].value])
    }
    if let next { members.append(.init("next", .string(next))) }
    return .object(members)
  }

  /// The members to change in `old`; nil if nothing differs.
  package static func changes(
    _ old: JSONValue, _ new: JSONValue
  ) throws(MergePatch.Inexpressible) -> [JSONValue.Member]? {
    guard case .object(let changes)? = try MergePatch.between(old, new) else { return nil }
    return changes
  }
}
