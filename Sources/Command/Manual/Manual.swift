internal import TesseraJSON
internal import TesseraSystem

/// The manual of the program: `tessera(1)`, a page for each command, and that of the pipeline file.
struct Manual: Sendable {
  private let help: Help
  private let keys: KeyManual

  /// - Parameters:
  ///   - schema: the JSON Schema of the pipeline file.
  ///   - sections: the keys at its top, by who needs them.
  init(
    _ help: Help, schema: JSONValue, sections: [(title: String, keys: [String])]
  ) {
    (self.help, keys) = (help, KeyManual(schema, sections: sections))
  }

  /// Writes the pages below a folder, and returns their paths.
  ///
  func write(to folder: String) throws -> [String] {
    try pages.map { page in
      let path = FileSystem.join(folder, page.path)
      try FileSystem.makeDirectory(FileSystem.parent(of: path))
      let name = FileSystem.name(of: path)
      try Directory(FileSystem.parent(of: path)).replace(
        name, with: Array(page.text.utf8), draft: ".\(name).new")
      return path
    }
  }

  var pages: [ManualPage] {
    var file = makePage(
      "\(help.name)-pipeline", section: 5, "the pipeline file: which images, which sizes, and how")
    keys.write(to: &file)
    seeAlso(["\(help.name)(1)", "\(help.name)-run(1)", "\(help.name)-check(1)"], &file)
    return [overview] + help.commands.map(page) + [file]
  }

  private func makePage(_ name: String, section: Int = 1, _ summary: String) -> ManualPage {
    ManualPage(
      name, section: section, summary: summary, date: help.date,
      program: "\(help.name) \(help.version)")
  }

  private var overview: ManualPage {
    var page = makePage(help.name, help.summary)
    page.section("SYNOPSIS")
    page.paragraph("\(help.name) COMMAND [options]")
    page.section("DESCRIPTION")
    page.paragraph(Help.streams)
    page.paragraph("Each command has a page of its own: \(help.name)-COMMAND(1).")
    for group in help.groups {
      page.section("COMMANDS: \(group.title.uppercased())")
      for command in group.commands { page.item(command.name, command.summary) }
    }
    page.section("EXIT STATUS")
    page.item("0", "All done.")
    page.item("1", "Done, but some items failed.")
    page.item("2", "Could not run.")
    page.item("64", "The command line can't be understood.")
    page.item("75", "Another run holds this output.")
    page.item("130, 143", "Stopped by a signal; run it again to resume.")
    seeAlso(["\(help.name)-run(1)", "\(help.name)-pipeline(5)"], &page)
    return page
  }

  private func page(of command: any Command.Type) -> ManualPage {
    let syntax = command.syntax
    var page = makePage("\(help.name)-\(command.name)", command.summary)
    page.section("SYNOPSIS")
    page.paragraph(syntax.usage(help.name, command.name))
    page.section("DESCRIPTION")
    page.paragraph(syntax.text)
    page.section("OPTIONS")
    for option in syntax.allOptions {
      page.item(option.name, value: option.placeholder, Self.sentence(option.help))
    }
    page.section("EXIT STATUS")
    for meaning in command.exitMeanings {
      page.item("\(meaning.status.rawValue)", Self.sentence(meaning.text))
    }
    page.section("EXAMPLES")
    page.paragraph(syntax.example.meaning)
    page.literal(syntax.example.line)
    seeAlso(["\(help.name)(1)", "\(help.name)-pipeline(5)"], &page)
    return page
  }

  private func seeAlso(_ pages: [String], _ page: inout ManualPage) {
    page.section("SEE ALSO")
    page.paragraph(pages.joined(separator: ", "))
  }

  /// A line of help as a sentence.
  private static func sentence(_ text: String) -> String {
    text.prefix(1).uppercased() + text.dropFirst() + "."
  }
}
