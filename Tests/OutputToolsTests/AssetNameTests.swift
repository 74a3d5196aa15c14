import Testing

@testable import tessera

/// Names of exported files and resources.
@Suite struct AssetNameTests {
  @Test(arguments: ["card", "a_b", "p1", "x__y", String(repeating: "a", count: 80)])
  func namesThatAreOneAlreadyStay(_ id: String) { #expect(id.assetName == id) }

  @Test(arguments: [
    ("Card", "card_"), ("a/b", "a_b_"), ("../../etc/passwd", "i_etc_passwd_"),
    ("Größe \"<&>\"", "gr_e_"),
    ("9lives", "i_9lives_"), ("", "i_"), ("__proto__", "i_proto_"), ("a.b", "a_b_"),
    ("ab_C", "ab_c_"),
  ])
  func othersGetAPartOfTheirDigest(_ id: String, _ start: String) throws {
    let name = id.assetName
    #expect(name.hasPrefix(start) && name.count == start.count + 8, "\(name)")
    #expect(name.wholeMatch(of: /[a-z][a-z0-9_]*/) != nil)
  }

  @Test func differentIDsHaveDifferentNames() {
    let ids = ["a b", "a_b", "a-b", "A_B", "a__b", "a  b", "ä", "a\u{308}", "AB", "ab", "Ab"]
    #expect(Set(ids.map(\.assetName)).count == ids.count)
    let long = String(repeating: "x", count: 1000)
    #expect(long.assetName.count < 100 && long.assetName != (long + "y").assetName)
  }
}
