internal import TesseraJSON

/// One JSON object a line: `{"id": "p1", "url": "…", "slots": ["card"], "focus": [0.5, 0.3],
/// "extra": {…}}`. Only `url` must be there; the id is then the URL.
struct JSONLinesDecoder: RecordDecoding {
  func entry(from text: String, line: Int) throws(ManifestProblem) -> ManifestEntry {
    func problem(_ message: String) -> ManifestProblem {
      ManifestProblem(line: line, message: message)
    }
    let value: JSONValue
    do throws(JSONError) {
      value = try JSONParser.parse(Array(text.utf8))
    } catch {
      throw problem("not valid JSON at column \(error.offset + 1): \(error.message)")
    }
    guard case .object(let members) = value else {
      throw problem(
        "expected an object such as {\"id\": \"p1\", \"url\": \"…\"}, found \(value.kind)")
    }
    var id: String?
    var url: String?
    var entry = ManifestEntry(line: line, id: nil, url: "")
    for member in members {
      switch member.name {
      case "id":
        guard let text = member.value.stringValue else {
          throw problem("\"id\" must be a string, found \(member.value.kind)")
        }
        id = text
      case "url":
        guard let text = member.value.stringValue else {
          throw problem("\"url\" must be a string, found \(member.value.kind)")
        }
        url = text
      case "slots":
        let names = member.value.arrayValue?.map(\.stringValue)
        guard let names, !names.isEmpty, !names.contains(nil) else {
          throw problem("\"slots\" must be a list of slot names, such as [\"card\"]")
        }
        entry.slots = names.compactMap(\.self)
      case "focus":
        let numbers = member.value.arrayValue?.compactMap(\.doubleValue)
        guard let numbers, numbers.count == 2, member.value.arrayValue?.count == 2 else {
          throw problem("\"focus\" must be two numbers from 0 to 1, such as [0.5, 0.3]")
        }
        entry.focus = .init(x: numbers[0], y: numbers[1])
      case "extra": entry.extra = member.value
      default:
        throw problem(
          "unknown member \"\(member.name)\"; a line has id, url, slots and focus, and your own "
            + "data goes into \"extra\"")
      }
    }
    guard let url else { throw problem("the member \"url\" is missing") }
    entry.url = url
    entry.id = id ?? ""
    entry.hasNoID = id == nil
    return entry
  }
}
