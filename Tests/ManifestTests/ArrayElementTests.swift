import TesseraCatalog
import TesseraTestSupport
import Testing

@testable import TesseraManifest

/// What an array says of each of its elements, in a list with columns of its own.
@Suite struct ArrayElementTests {
  private static let columns: [ColumnMapping.Member: [String]] = [
    .url: ["images.src"], .id: ["id"], .alt: ["images.alt"],
  ]

  private static func entries(
    _ text: String, _ columns: [ColumnMapping.Member: [String]]
  ) -> [ManifestEntry] {
    ListOutline.records(Array(text.utf8), columns: ColumnMapping(columns)).compactMap {
      if case .entry(let entry) = $0 { entry } else { nil }
    }
  }

  /// An image never has the description of another one, also not where it has none itself.
  @Test(
    .faults(.m18),
    arguments: [
      (#"[{"src":"https://a/1","alt":"Front"},{"src":"https://a/2","alt":"Back"}]"#, "Front|Back"),
      (#"[{"src":"https://a/1","alt":""},{"src":"https://a/2","alt":"Hat"}]"#, "T|Hat"),
      (#"[{"src":"https://a/1"},{"src":"https://a/2","alt":["","Hat"]}]"#, "T|Hat"),
      (#"{"src":"https://a/1","alt":"Front"}"#, "Front"),
      (#"[{"alt":"Lost"},{"src":"https://a/1"}]"#, "T"),
      (#"[{"src":["https://a/1","https://a/2"],"alt":"Both"},{"alt":"Lost"}]"#, "Both|Both"),
      (#"[[{"src":"https://a/1","alt":"In"}],{"src":"https://a/2","alt":"Out"}]"#, "Out"),
    ])
  func alternativeTextsAreThoseOfTheirImages(_ images: String, _ expected: String) {
    let line = #"{"id":1,"title":"T","images":"# + images + "}"
    let columns = Self.columns.merging([.alt: ["images.alt", "title"]]) { $1 }
    #expect(
      Self.entries(line, columns).map { $0.alt ?? "-" }.joined(separator: "|") == expected)
    // Without another column, none is none.
    let own = Self.entries(line, Self.columns).map { $0.alt ?? "-" }.joined(separator: "|")
    #expect(own == expected.replacing("T", with: "-"))
  }

  @Test(.faults(.m18)) func eachMemberIsThatOfItsElement() {
    let line = """
      {"id":1,"images":[{"src":"https://a/1","s":["card","hero"],"f":[0.1,0.2],"v":3,"n":"x","pub":true},
      {"src":"https://a/2","f":"0.5 0.6","pub":null},{"src":"https://a/3","s":"hero","pub":false}],"s":"feed"}
      """.replacing("\n", with: "")
    let entries = Self.entries(
      line,
      [
        .url: ["images.src"], .id: ["images.n", "id"], .slots: ["images.s"],
        .focus: ["images.f"], .views: ["images.v"], .published: ["images.pub"],
      ])
    #expect(entries.map(\.url) == ["https://a/1", "https://a/2"])
    #expect(entries.map(\.id) == ["x", "1"])
    #expect(entries.map(\.slots) == [["card", "hero"], nil])
    #expect(entries.map(\.focus) == [CatalogFocus(x: 0.1, y: 0.2), CatalogFocus(x: 0.5, y: 0.6)])
    #expect(entries.map(\.views) == [3, nil])
  }

  /// The product's word holds for all of its images, an image's for itself alone.
  @Test(
    .faults(.m18),
    arguments: [
      (
        #"true,"images":[{"src":"https://a/1","pub":false},{"src":"https://a/2"}]"#, ["https://a/2"]
      ),
      (#"false,"images":[{"src":"https://a/1","pub":true},{"src":"https://a/2"}]"#, []),
      (
        #"true,"cover":"https://a/0","images":[{"src":"https://a/1","pub":false}]"#,
        ["https://a/0"]
      ),
      (#"true,"images":{"src":"https://a/1","pub":false}"#, []),
    ])
  func anImageOfADraftIsLeftOutAlone(_ members: String, _ urls: [String]) {
    let columns = Self.columns.merging(
      [.url: ["cover", "images.src"], .published: ["show", "images.pub"]]) { $1 }
    #expect(Self.entries(#"{"id":1,"show":"# + members + "}", columns).map(\.url) == urls)
  }

  /// An image beside the array has none of its descriptions, unless nothing in it is an image.
  @Test(.faults(.m18)) func anImageBesideTheArrayHasItsOwnText() {
    let line =
      #"{"id":1,"cover":"https://a/0","images":[{"src":"https://a/1","alt":"One"}],"more":[{"alt":"M"}]}"#
    var columns = Self.columns
    columns[.url] = ["cover", "images.src"]
    #expect(Self.entries(line, columns).map(\.alt) == [nil, "One"])
    columns[.alt] = ["more.alt"]
    #expect(Self.entries(line, columns).map(\.alt) == ["M", "M"])
    columns[.alt] = ["images[0].alt"]
    #expect(Self.entries(line, columns).map(\.alt) == [nil, "One"])
    columns = [.url: ["images[0].src"], .alt: ["images.alt"]]
    #expect(Self.entries(line, columns).map(\.alt) == ["One"])
  }

  @Test(.faults(.m18)) func elementsOfXMLAreJoinedToo() {
    let feed = """
      <rss><channel><item><guid>g</guid>
      <photo src="https://a/1.jpg"><cap>Front</cap></photo><photo src="https://a/2.jpg"/>
      <photo src="https://a/3.jpg"><cap>Back</cap></photo></item>
      <item><guid>h</guid><photo src="https://a/4.jpg"><cap>Only</cap></photo></item></channel></rss>
      """
    let entries = Self.entries(
      feed, [.url: ["photo.src"], .id: ["guid"], .alt: ["photo.cap"]])
    #expect(entries.map(\.alt) == ["Front", nil, "Back", "Only"])
  }

  /// Nothing shows that an element of XML is the only one of an array, so each is as if it had siblings.
  @Test(arguments: ["", "<photo src='https://a/2.jpg'><cap>Back</cap><pub>false</pub></photo>"])
  func anElementOfXMLSpeaksForItselfAlone(_ sibling: String) {
    for (start, end, above) in [("", "", ""), ("<data>", "</data>", "data.")] {
      let feed = """
        <rss><item><guid>g</guid>\(start)<title>T</title><cover>https://a/0.jpg</cover>
        <photo src="https://a/1.jpg"><id>p</id><cap>Front</cap><pub>false</pub></photo>
        \(sibling)\(end)</item></rss>
        """
      var columns: [ColumnMapping.Member: [String]] = [
        .url: ["cover", "photo.src"], .id: ["photo.id"], .alt: ["photo.cap"],
      ].mapValues { $0.map { above + $0 } }
      for alt in ["photo.cap", "photo[0].cap"] {
        columns[.alt] = [above + alt]
        let entries = Self.entries(feed, columns).prefix(2)
        #expect(entries.map(\.alt) == [nil, "Front"], "\(above)")
        #expect(entries.map(\.id) == ["https://a/0.jpg", "p"], "\(above)")
      }
      columns[.alt] = [above + "title"]
      #expect(Set(Self.entries(feed, columns).map(\.alt)) == ["T"])
      columns[.published] = [above + "photo.pub"]
      #expect(Self.entries(feed, columns).map(\.url) == ["https://a/0.jpg"])
    }
  }

  /// An image of the outer element has no text of an inner one.
  @Test func arraysInArraysSpeakForTheirOwnElements() {
    let line =
      #"{"id":1,"kinds":[{"t":"K","main":"https://a/0","images":[{"src":"https://a/1","alt":"One"},"#
      + #"{"src":"https://a/2"}]},{"main":"https://a/3","images":[]}]}"#
    var columns = Self.columns
    columns[.url] = ["kinds.main", "kinds.images.src"]
    columns[.alt] = ["kinds.images.alt"]
    #expect(Self.entries(line, columns).map { $0.alt ?? "-" } == ["-", "-", "One", "-"])
    columns[.alt] = ["kinds.images.alt", "kinds.t"]
    #expect(Self.entries(line, columns).map { $0.alt ?? "-" } == ["K", "-", "One", "K"])
  }

  /// Ten thousand images of one product take no more than a hundred times as long as a hundred.
  @Test(.faults(.m25)) func manyElementsTakeLinearTime() {
    func steps(_ count: Int) -> Duration {
      let images = (0..<count).map { #"{"src":"https://a/\#($0)","alt":"A\#($0)"}"# }
      let line = #"{"id":1,"images":["# + images.joined(separator: ",") + "]}"
      return ContinuousClock().measure {
        let entries = Self.entries(line, Self.columns)
        #expect(entries.count == count && entries.last?.alt == "A\(count - 1)")
      }
    }
    #expect(steps(10_000) < steps(1_000) * 60 + .seconds(1))
  }
}
