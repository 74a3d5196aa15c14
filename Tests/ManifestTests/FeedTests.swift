import TesseraManifest
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
        "refused: it is an index of sitemaps; name the sitemaps themselves, as a list: manifest: [https://…, https://…]"
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

  /// What is wrong with one item is a problem of its line; what is wrong with the text refuses all.
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
      ("<rss>&e;</rss>", "its XML can't be read: line 1: undefined entity"),
      (
        "<!DOCTYPE rss [<!ENTITY e 'x'>]><rss/>",
        "its XML can't be read: line 1: it declares entities, which a list has no use for"
      ),
      (
        "<CHANNEL/>",
        "it is an XML document with the root <CHANNEL>, and neither RSS, Atom nor a sitemap"
      ),
    ] {
      #expect(Self.lines(text) == ["refused: \(reason)"])
    }
  }
}
