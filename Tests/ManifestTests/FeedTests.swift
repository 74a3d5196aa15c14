import TesseraManifest
import TesseraTestSupport
import Testing

/// Feeds and sitemaps.
@Suite struct FeedTests {
  private static func lines(_ text: String, columns: ColumnMapping? = nil) -> [String] {
    let whole = ListOutline.lines(text, columns: columns, chunk: 1 << 16)
    for chunk in [1, 13] {
      #expect(ListOutline.lines(text, columns: columns, chunk: chunk) == whole)
    }
    return whole
  }

  @Test func imagesOfRSS() {
    let feed = """
      <?xml version="1.0"?>
      <rss version="2.0" xmlns:media="http://search.yahoo.com/mrss/" xmlns:i="http://www.itunes.com/dtds/podcast-1.0.dtd">
      <channel><title>F</title><image><url>https://a/logo.png</url></image>
      <item><guid isPermaLink="false">one</guid><title>One</title>
        <enclosure url="https://a/1.jpg" type="image/jpeg" length="1"/>
        <enclosure url="https://a/1.mp3" type="audio/mpeg" length="1"/></item>
      <item><link>https://a/two</link>
        <media:group><media:content url="https://a/2.jpg" medium="image"><media:description>Two</media:description></media:content>
        <media:content url="https://a/2.mp4" medium="video"/></media:group>
        <media:content url="https://a/3.png" type="image/png"/><media:thumbnail url="https://a/small.png"/></item>
      <item><guid>three</guid><media:content url="https://a/3.mp4" type="video/mp4"/>
        <media:thumbnail url="https://a/small.jpg"/></item>
      <item><guid>four</guid><i:image href="https://a/4.jpg"/></item>
      <item><guid>none</guid></item>
      <item><media:content url="https://a/5.jpg"/></item>
      </channel></rss>
      """
    #expect(
      Self.lines(feed) == [
        "4 one https://a/1.jpg shared", "7 https://a/two https://a/2.jpg Two shared",
        "7 https://a/two https://a/3.png shared", "11 three https://a/small.jpg shared",
        "13 four https://a/4.jpg shared", "15 https://a/5.jpg https://a/5.jpg",
      ])
  }

  @Test func imagesOfAtomAndRDF() {
    #expect(
      Self.lines(
        """
        <feed xmlns="http://www.w3.org/2005/Atom"><entry><id>urn:1</id><link href="https://a/p"/>
        <link rel="enclosure" type="image/webp" href="https://a/1.webp" title="W"/></entry>
        <entry><link rel="enclosure" type="text/plain" href="https://a/t"/></entry></feed>
        """) == ["1 urn:1 https://a/1.webp W shared"])
    #expect(
      Self.lines(
        """
        <rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#" xmlns="http://purl.org/rss/1.0/"
         xmlns:m="http://search.yahoo.com/mrss"><item rdf:about="x"><link>https://a/p</link>
        <m:content url="https://a/1.gif"/></item></rdf:RDF>
        """) == ["2 https://a/p https://a/1.gif shared"])
  }

  @Test func imagesOfSitemaps() {
    #expect(
      Self.lines(
        """
        <urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9" xmlns:i="http://www.google.com/schemas/sitemap-image/1.1">
        <url><loc>https://a/p</loc><i:image><i:loc>https://a/1.jpg</i:loc><i:caption>C</i:caption><i:title>T</i:title></i:image>
        <i:image><i:loc>https://a/2.jpg?a=1&amp;b=2</i:loc></i:image></url>
        <url><loc>https://a/q</loc></url></urlset>
        """) == [
          "2 https://a/p https://a/1.jpg C shared", "2 https://a/p https://a/2.jpg?a=1&b=2 shared",
        ])
    #expect(
      Self.lines("<sitemapindex><sitemap><loc>https://a/s.xml</loc></sitemap></sitemapindex>") == [
        "rejected: it is an index of sitemaps; name the sitemaps themselves, as a list: manifest: [https://…, https://…]"
      ])
  }

  @Test func imagesOfMerchantFeeds() {
    #expect(
      Self.lines(
        """
        <rss version="2.0" xmlns:g="http://base.google.com/ns/1.0"><channel>
        <item><g:id>SKU</g:id><title>Shirt</title><g:image_link>https://a/1.jpg</g:image_link>
        <g:additional_image_link>https://a/2.jpg</g:additional_image_link>
        <g:additional_image_link>https://a/3.jpg</g:additional_image_link></item></channel></rss>
        """) == (1...3).map { "2 SKU https://a/\($0).jpg Shirt shared" })
  }

  @Test func imagesOfJSONFeeds() {
    let items = """
      {"id":"1","image":"https://a/1.jpg","banner_image":"https://a/2.jpg","attachments":
      [{"url":"https://a/3.mp3","mime_type":"audio/mpeg"},{"url":"https://a/4.jpg","mime_type":"image/jpeg"}]},
      {"id":2,"image":"https://a/5.jpg"},{"id":"3"},"x"
      """
    let expected = [
      "1 1 https://a/1.jpg shared", "1 1 https://a/2.jpg shared", "1 1 https://a/4.jpg shared",
      "2 2 https://a/5.jpg shared",
    ]
    for version in ["https://jsonfeed.org/version/1", "https://jsonfeed.org/version/1.1"] {
      #expect(Self.lines("{\"version\":\"\(version)\",\"items\":[\(items)]}") == expected)
      #expect(
        Self.lines("{\n\"title\":\"T\",\n\"version\":\"\(version)\",\n\"items\":[\(items)]}\n")
          == expected)
    }
  }

  /// PHP escapes slashes, and the order of members is free.
  @Test(.faults(.m21)) func aJSONFeedIsRecognizedHoweverItIsWritten() {
    let item = #"{"id":"1","image":"https:\/\/a\/1.jpg"}"#
    let version = #""version":"https:\/\/jsonfeed.org\/version\/1.1""#
    let expected = ["1 1 https://a/1.jpg shared"]
    let padding = String(repeating: "x", count: 5_000)
    for text in [
      "{\(version),\"items\":[\(item)]}", "{\"items\":[\(item)],\(version)}\n",
      "{\"description\":\"\(padding)\",\"home\":null,\"more\":[true],\(version),\"items\":[\(item)]}",
      "{\"title\":\"T\",\n\(version),\"items\":[\(item)]}",
      "{\"expired\":false,\(version),\n\"items\":\n[\(item)]}",
    ] {
      #expect(Self.lines(text) == expected, "\(text.prefix(100))")
    }
    // A line is none of JSON Lines from a megabyte on, and a feed may say what it is at its end.
    let long = String(repeating: "x", count: 1 << 20)
    #expect(
      ListOutline.lines(
        "{\"items\":[\(item),{\"content_text\":\"\(long)\"}],\(version)}", chunk: 1 << 16)
        == expected)
    // JSON Lines may speak of JSON Feed.
    #expect(
      Self.lines(#"{"url":"https://a/1","version":"1","note":"see jsonfeed.org/version/1"}"# + "\n")
        == ["1 https://a/1 https://a/1"])
    #expect(Self.lines("{\"url\":\"https://a/1\"},\n{\"url\":\"https://a/2\"}\n").count == 2)
  }

  // MARK: Media RSS

  private static func media(_ item: String) -> [String] {
    lines(
      "<rss xmlns:media=\"http://search.yahoo.com/mrss/\"><item><guid>g</guid>\(item)</item></rss>"
    ).map { $0.replacing("1 g ", with: "").replacing(" shared", with: "") }
  }

  private static func rendition(_ name: String, _ attributes: String = "") -> String {
    "<media:content url=\"https://a/\(name)\" type=\"image/jpeg\" \(attributes)/>"
  }

  /// A group has "the same content, yet different representations".
  @Test(
    .faults(.m19),
    arguments: [
      (rendition("1") + rendition("2") + rendition("3", "isDefault='true'"), "3"),
      (rendition("1", "width='10' height='20'") + rendition("2", "width='30' height='20'"), "2"),
      (rendition("1", "width='30' height='20'") + rendition("2", "width='30'"), "2"),
      (rendition("1", "fileSize='9'") + rendition("2", "fileSize='10'"), "2"),
      (rendition("1") + rendition("2", "width='x'"), "1"),
      (
        "<media:content url='https://a/v' type='video/mp4' isDefault='true'/>" + rendition("1"), "1"
      ),
    ])
  func aGroupOfMediaIsOneImage(_ group: String, _ name: String) {
    #expect(Self.media("<media:group>\(group)</media:group>") == ["https://a/\(name)"])
    #expect(
      Self.media(
        "<media:group>\(group)<media:description type='plain'>Cat</media:description></media:group>"
          + Self.rendition("9") + "<media:group>\(Self.rendition("8"))</media:group>")
        == ["https://a/\(name) Cat", "https://a/8", "https://a/9"])
  }

  /// Of what is not an image, the poster.
  @Test(
    .faults(.m19),
    arguments: [
      (
        "<media:content url='https://a/v' medium='video'>\(thumbnail("1"))\(thumbnail("2"))</media:content>",
        ["1"]
      ),
      (
        "<media:group><media:content url='https://a/v' medium='video'>\(thumbnail("1"))</media:content></media:group>",
        ["1"]
      ),
      (
        "<media:group><media:content url='https://a/v' medium='video'/>\(thumbnail("1"))</media:group>",
        ["1"]
      ),
      (
        "\(thumbnail("1"))<media:content url='https://a/v' medium='video'>\(thumbnail("2"))</media:content>",
        ["1", "2"]
      ),
      ("<media:content url='https://a/3' medium='image'>\(thumbnail("1"))</media:content>", ["3"]),
    ])
  func thumbnailsInsideContentsCount(_ item: String, _ names: [String]) {
    #expect(Self.media(item) == names.map { "https://a/\($0)" })
  }

  private static func thumbnail(_ name: String) -> String {
    "<media:thumbnail url=\"https://a/\(name)\"/>"
  }

  /// An enclosure is left out only if it says that it is something else.
  @Test(
    .faults(.m20),
    arguments: [
      ("type=''", "x", true), ("", "x", true), ("type='image'", "x", true),
      ("type='IMAGE/JPEG'", "x", true), ("type=' image/jpeg; q=1'", "x", true),
      ("type='jpg'", "x", true), ("type='PNG'", "x", true),
      ("type='application/octet-stream'", "x.JPG?w=1", true),
      ("type='application/octet-stream'", "x.mp3", false),
      ("medium='' type='image/jpeg'", "x", true), ("medium='Image'", "x", true),
      ("medium='video' type='image/jpeg'", "x", false), ("type='text/html'", "x.jpg", false),
      ("type='audio/mpeg'", "x", false),
    ])
  func typesOfEnclosuresAreReadAsPeopleWriteThem(
    _ attributes: String, _ name: String, _ isImage: Bool
  ) {
    for element in ["enclosure", "media:content"] {
      #expect(
        Self.media("<\(element) url='https://a/\(name)' \(attributes)/>")
          == (isImage ? ["https://a/\(name)"] : []), "\(element)")
    }
  }

  // MARK: xml:base

  /// RFC 4287, section 2: the base is that of the element, or of one around it, and may be relative itself.
  @Test(.faults(.m23)) func referencesOfAtomHaveABase() {
    #expect(
      Self.lines(
        """
        <feed xmlns="http://www.w3.org/2005/Atom" xml:base="https://a/feed/index.xml">
        <entry><id>1</id><link rel="enclosure" href="1.jpg?a=../b"/></entry>
        <entry xml:base="/deep/er/"><id>2</id><link rel="enclosure" href="../2.jpg"/>
        <link rel="enclosure" xml:base="x/" href="3.jpg"/></entry>
        <entry><id>4</id><link rel="enclosure" href="//b/4.jpg"/><link rel="enclosure" href="https://c/4.jpg"/></entry>
        </feed>
        """) == [
          "2 1 https://a/feed/1.jpg?a=../b shared", "3 2 https://a/deep/2.jpg shared",
          "3 2 https://a/deep/er/x/3.jpg shared", "5 4 https://b/4.jpg shared",
          "5 4 https://c/4.jpg shared",
        ])
    // Blanks around a reference do not belong to it, and an empty one is not an image.
    #expect(
      Self.lines(
        """
        <feed xmlns="http://www.w3.org/2005/Atom" xml:base="https://a/">
        <entry><id>1</id><link rel="enclosure" href=" https://c/1.jpg "/><link rel="enclosure" href=""/></entry>
        </feed>
        """) == ["2 1 https://c/1.jpg shared"])
    // Each reference would take as much.
    let long = String(repeating: "a", count: 5_000)
    #expect(
      Self.lines(
        """
        <feed xmlns="http://www.w3.org/2005/Atom">
        <entry xml:base="https://a/\(long)/"><id>1</id><link rel="enclosure" href="1.jpg"/></entry>
        <entry><id>2</id><link rel="enclosure" href="https://a/2.jpg"/></entry>
        </feed>
        """) == [
          "2: <entry> has an xml:base of more than 4096 bytes", "3 2 https://a/2.jpg shared",
        ])
    // A base alone does not lead anywhere.
    #expect(
      Self.lines(
        "<feed xml:base='x/'><entry><id>1</id><link rel='enclosure' href='1.jpg'/></entry></feed>")
        == [
          "1: the URL must begin with http:// or https:// and name a host, or be a file:, data: or s3: URL, found "
            + "\"x/1.jpg\"; relative ones need a \"base\" in the pipeline"
        ])
  }

  // MARK: One bad item

  /// An item with what XML does not have is one bad item, wherever it has it.
  @Test(
    .faults(.m26),
    arguments: [
      ("<t>a&foo;b</t>", "the entity &foo; in it, which is not declared"),
      ("<t>a\u{8}b</t>", "a control character in it, which XML does not allow"),
      ("<t><![CDATA[a\u{1}b]]></t>", "a control character in it, which XML does not allow"),
      ("<e u='x&foo;y'/>", "the entity &foo; in it, which is not declared"),
      ("<e u='x&nbsp;y'/>", "the entity &nbsp; in it, which is not declared"),
      ("<e u='\u{1F}'/>", "a control character in it, which XML does not allow"),
    ])
  func oneBadItemOfAFeedIsOne(_ part: String, _ fault: String) {
    func item(_ number: Int, _ more: String = "") -> String {
      "<item>\(more)<enclosure url='https://a/\(number)'/></item>\n"
    }
    #expect(
      Self.lines("<rss>\n<title>\(part)</title>\n\(item(1))\(item(2, part))\(item(3))</rss>") == [
        "3 https://a/1 https://a/1", "4: <item> has \(fault)", "5 https://a/3 https://a/3",
      ])
  }

  @Test(.faults(.m26)) func aBadTagOfAnItemIsItsOwn() {
    #expect(
      Self.lines(
        "<rss><a b='&foo;'/>\n<item c='&foo;'/>\n<item><enclosure url='https://a/1'/></item></rss>")
        == [
          "2: <item> has the entity &foo; in it, which is not declared",
          "3 https://a/1 https://a/1",
        ])
  }

  /// HTML's names of characters are in many feeds.
  @Test(.faults(.m26)) func namesOfCharactersAreRead() {
    #expect(
      Self.media(
        "<enclosure url='https://a/1' title='A'/><t>x&nbsp;&eacute;&hellip;</t>") == [
          "https://a/1 A"
        ])
    #expect(
      Self.media(
        "<media:content url='https://a/1'><media:description>Caf&eacute;&nbsp;&mdash;&yuml;&#8230;</media:description></media:content>"
      ) == ["https://a/1 Caf\u{E9}\u{A0}\u{2014}\u{FF}\u{2026}"])
  }

  // MARK: Time

  /// Elements of one name are an array, which is not copied for each of them.
  @Test(.faults(.m25)) func anElementWithTenThousandChildrenTakesLinearTime() {
    func time(_ count: Int) -> Duration {
      let children = (0..<count).map { "<enclosure url='https://a/\($0)'/><x\($0)/>" }.joined()
      let feed = "<rss><item><guid>g</guid>\(children)</item></rss>"
      return ContinuousClock().measure {
        #expect(ListOutline.lines(feed, chunk: 1 << 16).count == count)
      }
    }
    #expect(time(4_900) < time(490) * 30 + .seconds(1))
  }

  /// A mapping says where the images of a feed are, and what else is public is named.
  @Test func aMappingHoldsForFeeds() {
    let feed = """
      <rss><channel><item><guid isPermaLink="true">g</guid><photo src="https://a/1.jpg"/><photo src="https://a/2.jpg"/>
      <author>A</author></item></channel></rss>
      """
    let mapping = ColumnMapping([.url: ["photo.src"], .id: ["guid.text"]])
    #expect(
      Self.lines(feed, columns: mapping) == [
        "1 g https://a/1.jpg shared", "1 g https://a/2.jpg shared",
      ])
    #expect(
      ListOutline.lines(feed, columns: mapping, extra: .named(["author"]))[0]
        == #"1 g https://a/1.jpg shared {"author":"A"}"#)
    #expect(
      ListOutline.lines(
        feed.replacing("photo", with: "enclosure").replacing("src=", with: "url="), extra: .all)[0]
        == #"1 g https://a/1.jpg shared {"author":"A"}"#)
  }

  /// What is wrong with one item is a problem of its line; what is wrong with the text rejects all.
  @Test func badFeedsAreReported() {
    let long = String(repeating: "x", count: 1 << 20)
    #expect(
      ListOutline.lines(
        "<rss>\n<item><enclosure url='ftp://a/1'/></item>\n<item><t>\(long)</t></item>\n<item><enclosure url='https://a/1'/></item></rss>",
        chunk: 1 << 16) == [
          "2: the URL must begin with http:// or https:// and name a host, or be a file:, data: or s3: URL, "
            + "found \"ftp://a/1\"",
          "3: <item> has more than 1048576 bytes, or more than 10000 elements",
          "4 https://a/1 https://a/1",
        ])
    for (text, reason) in [
      ("<rss><item>", "its XML can't be read: line 1: no element found"),
      (
        "<rss><item>&e</item></rss>",
        "its XML can't be read: line 1: not well-formed (invalid token)"
      ),
      (
        "<!DOCTYPE rss [<!ENTITY e 'x'>]><rss/>",
        "its XML can't be read: line 1: it declares entities, which a list has no use for"
      ),
      (
        "<CHANNEL/>",
        "it is an XML document with the root <CHANNEL>, and neither RSS, Atom nor a sitemap"
      ),
    ] {
      #expect(Self.lines(text) == ["rejected: \(reason)"])
    }
  }
}
