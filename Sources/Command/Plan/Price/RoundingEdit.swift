internal import TesseraPipelineFile
internal import TesseraPlan
internal import TesseraSystem
internal import TesseraText

/// Puts a ladder into a pipeline file, whose other lines and comments stay.
enum RoundingEdit {
  /// - Throws: `SystemError` if the file can't be read or written; ``Unsuitable`` if there is no ladder, or if its line could
  ///   not be put into the file, for example because that is written in braces. Then nothing is changed.
  static func write(_ choice: LadderChoice, into file: PipelineFile) throws {
    guard let line = choice.line, let rungs = choice.chosen?.rungs else {
      throw Unsuitable(
        path: file.path,
        problem:
          "no ladder fits, because the size of no image is known; run it first, or add --probe")
    }
    let old = try FileSystem.read(file.path, limit: 1 << 20)
    let new = edited(String(decoding: old, as: UTF8.self), line)
    var expected = file.plan
    expected.rounding.steps = .list(rungs)
    // As it will be read: the text alone does not tell what a line belongs to.
    let read = try? PipelineFile.decode(
      Array(new.utf8), path: file.path, environment: Host.environment)
    guard read?.plan == expected else {
      throw Unsuitable(
        path: file.path,
        problem: "the ladder can't be put into this file; write the line \"\(line)\" into it")
    }
    try DocumentDraft(Array(new.utf8), for: file.path, like: file.path).replace()
  }

  /// The text with the line in the place of the key's lines, or at its end. Comments stay.
  static func edited(_ text: String, _ line: String) -> String {
    let ending = text.contains("\r\n") ? "\r\n" : "\n"
    var lines = text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline)
      .map(String.init)
    if lines.last == "" { lines.removeLast() }
    if let start = lines.firstIndex(where: isKey) {
      // The value may go on: indented, or as a list at the same level.
      let end = lines[(start + 1)...].firstIndex { !continues($0) } ?? lines.endIndex
      let comment = lines[start].firstRange(of: " #").map { lines[start][$0.lowerBound...] } ?? ""
      let comments = lines[(start + 1)..<end].filter(isComment)
      lines.replaceSubrange(start..<end, with: [line + comment] + comments)
    } else {
      lines.append(line)
    }
    return lines.map { $0 + ending }.joined()
  }

  private static func isComment(_ line: String) -> Bool { line.first { $0 != " " } == "#" }

  private static func isKey(_ line: String) -> Bool {
    let names = ["rounding", "\"rounding\"", "'rounding'"]
    return names.contains { name in
      line.begins(with: name) && line.dropFirst(name.count).drop { $0 == " " }.first == ":"
    }
  }

  private static func continues(_ line: String) -> Bool {
    line.hasPrefix(" ") || line == "-" || line.hasPrefix("- ")
  }

  struct Unsuitable: Error, CustomStringConvertible {
    var path: String
    var problem: String

    var description: String { "\(path): \(problem)" }
  }
}
