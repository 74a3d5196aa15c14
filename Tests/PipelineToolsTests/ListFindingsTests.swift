import Foundation
import TesseraManifest
import TesseraTestSupport
import Testing

@testable import tessera

/// What a list of images shows of the pipeline that it needs.
@Suite struct ListFindingsTests {
  private static func findings(_ lines: [String]) async throws -> ListFindings {
    let folder = try TemporaryFolder()
    let path = try folder.write(lines.map { $0 + "\n" }.joined(), to: "list.txt")
    return try await ListFindings(readingList: path)
  }

  @Test func aListIsReadAsARunWould() async throws {
    let found = try await Self.findings([
      "https://example.com/1.jpg", "http://10.0.0.1/2.jpg", "http://localhost:80/3.jpg",
      "http://169.254.169.254/4", "https://example.com/1.jpg", "photos/5.jpg", "",
      "http://127.0.0.1/6.jpg", "data:,7",
    ])
    #expect(found.images == 6 && found.problems == 1)
    // A person decides on the address of a cloud's metadata, too, but it is not suggested.
    #expect(found.needs == ["loopback", "private"])
  }

  @Test(
    arguments: [
      (["/none/a/1"], ["/none/a"]), (["/none/a/1", "/none/a/2"], ["/none/a"]),
      (["/none/a/d/1", "/none/a/2"], ["/none/a"]), (["/none/a/1", "/none/a/d/2"], ["/none/a"]),
      (["/none/ab/1", "/none/a/2"], ["/none/ab", "/none/a"]),
      (["/none/a/1", "/none/ab/2"], ["/none/a", "/none/ab"]),
      (["/none/b/c/1", "/none/a/2", "/none/b/d/3", "/none/b/4"], ["/none/a", "/none/b"]),
    ])
  func theFoldersOfFilesAreNeeded(_ paths: [String], _ folders: [String]) async throws {
    let found = try await Self.findings(paths.map { "file://\($0)" } + ["http://10.1.1.1/a"])
    #expect(found.needs == ["private"] + folders.map { "files:\($0)" })
  }

  @Test func ofManyFoldersTheOneAboveIsNeeded() async throws {
    func needs(_ folders: [String]) async throws -> [String] {
      try await Self.findings(
        zip(folders, 1...).map { "file://\($0)/\($1).jpg" }
      ).needs
    }
    let eight = (1...8).map { "/none/more/set-\($0)" }
    let few = try await needs(eight)
    #expect(few == eight.map { "files:\($0)" })
    #expect(try await needs(eight + ["/none/more/set-9"]) == ["files:/none/more"])
    #expect(try await needs(eight + ["/none/other/set-9"]) == ["files:/none"])
    // Not the whole disk.
    let far = eight + ["/nowhere/set-9"]
    #expect(try await needs(far) == far.map { "files:\($0)" })
  }

  /// The header row is of no system that is known, as that of a shop in another language.
  @Test func columnsAreGuessedByTheRows() async throws {
    let folder = try TemporaryFolder()
    let table = "ID;Bilder\n1;https://example.com/1.jpg\n2;\n3;https://example.com/3.jpg\n"
    let found = try await ListFindings(readingList: folder.write(table, to: "woo.csv"))
    #expect(found.isGuessed && found.columns?.yaml == "{url: Bilder, id: ID}")
    #expect((found.images, found.omitted.imageless, found.problems) == (2, 1, 0))
    let named = try await ListFindings(
      readingList: folder.write("Handle,Image Src\na,https://example.com/1.jpg\n", to: "s.csv"))
    #expect(!named.isGuessed && named.images == 1)
  }

  /// Those of files of this machine that are there, also beside the list; else a person has to say what is before them.
  @Test func pathsGetAPrefix() async throws {
    let folder = try TemporaryFolder()
    try folder.write("", to: "a b/1.jpg")
    try folder.write("", to: "100%25 #1?.jpg")
    func columns(_ text: String) async throws -> String? {
      let found = try await ListFindings(readingList: folder.write(text, to: "list"))
      #expect(found.images == 1 && found.isGuessed)
      return found.columns?.yaml.replacing(folder.path(""), with: "FOLDER")
    }
    #expect(
      try await columns("sku,file\n1,a b/1.jpg\n")
        == "{url: file, id: sku, prefix: \"file://FOLDER/\"}")
    #expect(
      try await columns("[{\"id\": 1, \"file\": \"\(folder.path("a b/1.jpg"))\"}]")
        == "{url: file, id: id, prefix: \"file://\"}")
    #expect(
      try await columns("sku,file\n1,100%25 #1?.jpg\n")
        == "{url: file, id: sku, prefix: \"file://FOLDER/\"}")
    #expect(
      try await columns("a,b\n1,/none.jpg\n") == "{url: b, prefix: \"https://images.example.com\"}")
    #expect(
      try await columns("a,b\n1,none.jpg\n") == "{url: b, prefix: \"https://images.example.com/\"}")
    // Of a shop system that is known.
    let magento = try await ListFindings(
      readingList: folder.write("sku,base_image\n1,/w/1.jpg\n", to: "m.csv"))
    #expect(magento.images == 1 && magento.columns?.hasExamplePrefix == true && !magento.isGuessed)
  }

  /// Nothing is written for a list of which no line is an image.
  @Test func aListWithoutALineToUseIsRejected() async throws {
    let folder = try TemporaryFolder()
    let path = try folder.write("ftp://a/1\nb\n", to: "l.txt")
    let text = await errorText { _ = try await ListFindings(readingList: path) }
    #expect(
      text?.hasPrefix(
        "the manifest \"\(path)\": no line of it can be used: line 1: the URL must begin") == true,
      "\(text ?? "")")
    // An empty one may be filled later.
    #expect(try await ListFindings(readingList: folder.write("\n", to: "e.txt")).images == 0)
  }

  /// An own table from Excel: not that it lacks a column, but that its rows can't be read.
  @Test func aTableOfAnotherEncodingIsNamed() async throws {
    let folder = try TemporaryFolder()
    let path = folder.path("own.csv")
    var bytes = Array("Artikelnr;Bild\n1;https://example.com/1.jpg\n2;https://example.com/".utf8)
    try Data(bytes + [0x67, 0xFC, 0x6E] + Array(".jpg\n".utf8)).write(to: URL(filePath: path))
    #expect(
      await errorText { _ = try await ListFindings(readingList: path) }
        == "the manifest \"\(path)\": line 3 is not in UTF-8; save the table as \"CSV UTF-8\", or convert it, if it is from "
        + "Excel: iconv -f WINDOWS-1252 -t UTF-8 OLD.csv > NEW.csv")
    // With the right bytes its columns are found.
    bytes += Array("gün.jpg\n".utf8)
    try Data(bytes).write(to: URL(filePath: path))
    #expect(try await ListFindings(readingList: path).images == 2)
  }

  @Test func aPageIsNotAList() async throws {
    let folder = try TemporaryFolder()
    let path = try folder.write("<html>", to: "page.txt")
    await #expect(throws: (any Error).self) { try await ListFindings(readingList: path) }
  }
}
