import TesseraManifest
import TesseraTestSupport
import TesseraText
import Testing

/// Ids that follow from what a list says: none shows a secret (P8), and none is another's (X3).
@Suite struct DerivedIDTests {
  private static let secrets = [
    "hunter2", "pw99", "bob", "carol", "TOPSECRET", "beef", "TOPSIG", "eyJ",
  ]

  private static func entries(_ text: String, _ columns: ColumnMapping? = nil) -> [ManifestEntry] {
    ListOutline.records(Array(text.utf8), columns: columns).compactMap { record in
      if case .entry(let entry) = record { entry } else { nil }
    }
  }

  private static let columns = ColumnMapping([.url: ["image"], .id: ["link"]])

  /// A list of each kind, and the ids of its images.
  private static let lists: [(name: String, text: String, columns: ColumnMapping?, ids: [String])] =
    [
      (
        "RSS",
        #"""
        <rss version="2.0"><channel>
        <item><guid>https://bob:hunter2@a.example/p/1?X-Amz-Signature=beef&amp;token=TOPSECRET</guid>
          <enclosure url="https://i.example/1.jpg" type="image/jpeg"/></item>
        <item><link>https://a.example/p/2?token=TOPSECRET&amp;sig=TOPSIG</link>
          <enclosure url="https://i.example/2.jpg" type="image/jpeg"/></item>
        <item><guid isPermaLink="false">/p/3?jwt=TOPSECRET</guid>
          <enclosure url="https://i.example/3.jpg" type="image/jpeg"/></item>
        <item><enclosure url="https://bob:pw99@i.example/4.jpg?token=TOPSECRET" type="image/jpeg"/></item>
        </channel></rss>
        """#, nil,
        ["https://a.example/p/1", "https://a.example/p/2", "/p/3", "https://i.example/4.jpg"]
      ),
      (
        "Atom",
        #"""
        <feed xmlns="http://www.w3.org/2005/Atom"><entry><id>https://a.example/?id=1&amp;apikey=TOPSECRET</id>
        <link rel="enclosure" type="image/png" href="https://i.example/1.png"/></entry>
        <entry><id>tag:a.example,2005:1</id><link rel="enclosure" href="https://i.example/2.png"/></entry></feed>
        """#, nil, ["https://a.example/?id=1", "tag:a.example,2005:1"]
      ),
      (
        "sitemap",
        #"""
        <urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"
         xmlns:image="http://www.google.com/schemas/sitemap-image/1.1">
        <url><loc>https://carol:pw99@a.example/a?access_token=TOPSECRET</loc>
        <image:image><image:loc>https://i.example/1.jpg</image:loc></image:image></url></urlset>
        """#, nil, ["https://a.example/a"]
      ),
      (
        "Merchant feed",
        #"""
        <rss version="2.0" xmlns:g="http://base.google.com/ns/1.0"><channel><item>
        <g:id>https://a.example/1?session=TOPSECRET</g:id><g:image_link>https://i.example/1.jpg</g:image_link>
        </item></channel></rss>
        """#, nil, ["https://a.example/1"]
      ),
      (
        "JSON Feed",
        #"""
        {"version":"https://jsonfeed.org/version/1.1","items":[{"id":"https://bob:hunter2@a.example/1?token=TOPSECRET",
        "image":"https://i.example/1.jpg"}]}
        """#, nil, ["https://a.example/1"]
      ),
      (
        "plain text", "https://bob:hunter2@i.example/1.jpg?token=TOPSECRET&w=2\n", nil,
        ["https://i.example/1.jpg?w=2"]
      ),
      (
        "JSON Lines without ids",
        #"{"url":"https://i.example/1.jpg?access_token=TOPSECRET"}"# + "\n",
        nil, ["https://i.example/1.jpg"]
      ),
      (
        "CSV without ids", "url,alt\nhttps://bob:pw99@i.example/1.jpg?sig=TOPSIG,a\n", nil,
        ["https://i.example/1.jpg"]
      ),
      (
        "CSV with columns",
        "link,image\nhttps://bob:pw99@a.example/1?sig=TOPSIG,https://i.example/1.jpg\n",
        columns, ["https://a.example/1"]
      ),
      (
        "JSON Lines with columns",
        #"{"link":"https://a.example/1?token=TOPSECRET","image":["https://i.example/1.jpg"]}"#
          + "\n",
        columns, ["https://a.example/1"]
      ),
    ]

  @Test(.faults(.p8)) func noIdShowsASecret() {
    for list in Self.lists {
      let ids = Self.entries(list.text, list.columns).map(\.id)
      #expect(ids == list.ids, "\(list.name): \(ids)")
      for secret in Self.secrets { #expect(!ids.joined().contains(secret), "\(list.name)") }
    }
  }

  /// Who writes an id means it.
  @Test func idsThatAListGivesStay() {
    let id = "https://a.example/1?token=mine"
    #expect(
      Self.entries(#"{"id":"\#(id)","url":"https://i.example/1.jpg"}"# + "\n").map(\.id) == [id])
    #expect(Self.entries("id,url\n\(id),https://i.example/1.jpg\n").map(\.id) == [id])
  }

  /// Ids that coincide without their secrets are distinguished as those of the images of one item are.
  @Test(.faults(.p8)) func idsThatCoincideStayDistinct() {
    let items = [1, 2].map { number in
      """
      <item><guid>https://a.example/p?token=TOPSECRET\(number)</guid>
      <enclosure url="https://i.example/\(number).jpg" type="image/jpeg"/></item>
      """
    }
    let entries = Self.entries("<rss version=\"2.0\"><channel>\(items.joined())</channel></rss>")
    #expect(entries.map(\.id) == ["https://a.example/p", "https://a.example/p"])
    #expect(entries.allSatisfy { $0.sharesID })
    let own = entries.map { $0.withOwnID(ShownURLs()).id }
    #expect(own[0] != own[1] && own.allSatisfy { $0.hasPrefix("https://a.example/p#") })
  }

  /// Two URLs of one product that are equal in Unicode are two files of a server.
  @Test(.faults(.x3)) func imagesOfOneProductAreComparedByTheirBytes() {
    let twins = ["https://i.example/caf\u{E9}.jpg", "https://i.example/cafe\u{301}.jpg"]
    let encoded = ["https://i.example/caf%C3%A9.jpg", "https://i.example/cafe%CC%81.jpg"]
    let feed = twins.map { "<enclosure url=\"\($0)\" type=\"image/jpeg\"/>" }.joined()
    for (text, columns) in [
      ("<rss version=\"2.0\"><channel><item><guid>p</guid>\(feed)</item></channel></rss>", nil),
      ("link,image\np,\(twins[0])\np,\(twins[1])\n", Self.columns),
      (
        #"{"link":"p","image":["\#(twins[0])","\#(twins[1])","\#(twins[0])"]}"# + "\n", Self.columns
      ),
      ("link,image\np,\(twins[0])\np,\(twins[0])\np,\(twins[1])\n", Self.columns),
    ] as [(String, ColumnMapping?)] {
      var urls: [String] = []
      for entry in Self.entries(text, columns) where urls.last != entry.url {
        urls.append(entry.url)
      }
      #expect(urls == encoded, "\(text)")
    }
  }

  /// A row without a word of its publication has that of the row before, if both have one id.
  @Test func rowsAreJoinedByTheBytesOfTheirIds() {
    let columns = ColumnMapping([.url: ["image"], .id: ["link"], .published: ["published"]])
    let rows =
      "link,image,published\ncaf\u{E9},https://i.example/1.jpg,true\n"
      + "caf\u{E9},https://i.example/2.jpg,\ncafe\u{301},https://i.example/3.jpg,\n"
    #expect(Self.entries(rows, columns).map(\.url) == (1...2).map { "https://i.example/\($0).jpg" })
  }
}
