import TesseraTestSupport
import Testing

@testable import tessera

/// The names of exported assets.
@Suite struct AssetNamesTests {
  private static func written(
    _ images: [(String, [(slot: String, asset: String)])]
  ) throws -> String {
    let folder = try TemporaryFolder()
    let names = try AssetNames(folder.path("names"))
    for (id, assets) in images { try names.add(id, assets) }
    try names.finish()
    return try folder.text("names")
  }

  @Test func namesByIdAndSlot() throws {
    let text = try Self.written([
      ("p\"1", [("card", "card/p_1"), ("wide", "wide/p_1")]), ("none", []),
      ("p2", [("card", "card/p2")]),
    ])
    #expect(
      text == """
        {
        "p\\"1":{"card":"card/p_1","wide":"wide/p_1"},
        "none":{},
        "p2":{"card":"card/p2"}
        }

        """)
    #expect(try Self.written([]) == "{\n}\n")
  }

  @Test func twoImagesNeverShareAName() async {
    let text = await sentence {
      try Self.written([("one", [("card", "card/x")]), ("two", [("card", "card/x")])])
    }
    #expect(
      text == "\"one\" and \"two\" both have the name \"card/x\"; give one of them another id")
  }

  /// Letters of ASCII and digits up to 80 stay; a name of 81 gets a part of its digest.
  @Test func longNamesAreCut() {
    expectMost(80) { count in
      let id = "a" + String(repeating: "0", count: count - 1)
      return id.assetName == id
    }
    let long = String(repeating: "Z", count: 90)
    #expect(long.assetName.hasPrefix(String(repeating: "z", count: 80) + "_"))
    #expect(long.assetName.count == 80 + 1 + 8)
  }

  /// Bytes at the ends of the ranges of letters and digits.
  @Test(arguments: [
    ("a", true), ("z", true), ("{", false), ("`", false), ("A", false), ("a0", true),
    ("a9", true), ("a/", false), ("a:", false), ("a_", true), ("aZ", false), ("0", false),
    ("_", false), ("", false),
  ])
  func whichTextsAreNames(_ text: String, _ isName: Bool) {
    #expect((text.assetName == text) == isName)
  }

  @Test(arguments: [
    ("AZ", "az_"), ("a{", "a_"), ("@a", "i_a_"), ("[a", "i_a_"), ("`z", "i_z_"), ("zZ", "zz_"),
    ("A0", "a0_"), ("A9/:", "a9_"), ("0A", "i_0a_"), ("__a", "i_a_"), ("-_-A", "i_a_"),
  ])
  func otherTextsAreSpelledWithLetters(_ text: String, _ start: String) {
    #expect(text.assetName.dropLast(8) == start)
  }
}
