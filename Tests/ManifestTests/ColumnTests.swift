import TesseraCatalog
import TesseraJSON
import TesseraTestSupport
import TesseraText
import Testing

@testable import TesseraManifest

/// Lists with columns of their own: exports of shop systems.
@Suite struct ColumnTests {
  private static let shirts = ColumnMapping(
    [.url: ["Image Src"], .id: ["Handle"], .alt: ["Image Alt Text", "Title"]])

  @Test(.faults(.m4)) func rowsOfOneHandleShareItsID() {
    let table = """
      Handle,Title,Image Src,Image Alt Text
      shirt,Shirt,https://a/1.jpg,Front
      shirt,,https://a/2.jpg,
      shirt,,,
      hat,Hat,https://a/3.jpg,
      """
    let expected = [
      "2 shirt https://a/1.jpg Front shared", "3 shirt https://a/2.jpg shared",
      "5 hat https://a/3.jpg Hat shared",
    ]
    #expect(ListOutline.lines(table, columns: Self.shirts) == expected)
    // However the file is saved.
    let semicolons = table.replacing(",", with: ";").replacing("\n", with: "\r\n")
    let tabs = table.replacing(",", with: "\t")
    for text in [
      semicolons, tabs, "\u{FEFF}\(table)", "sep=;\r\n\(semicolons)", "\"sep=,\"\n\(table)",
    ] {
      let lines = ListOutline.lines(text, columns: Self.shirts)
      let shift = text.contains("sep=") ? 1 : 0
      #expect(lines.map { $0.dropFirst() } == expected.map { $0.dropFirst() }, "\(text)")
      #expect(lines.first?.first == Character("\(2 + shift)"))
      for isBigEndian in [true, false] {
        let wide = text.utf16.flatMap { unit in
          isBigEndian
            ? [UInt8(unit >> 8), UInt8(unit & 0xFF)] : [UInt8(unit & 0xFF), UInt8(unit >> 8)]
        }
        for chunk in [1, 3, 1_000] {
          #expect(ListOutline.lines(wide, columns: Self.shirts, chunk: chunk) == lines)
        }
      }
    }
    var reader = ManifestReader(columns: Self.shirts)
    _ = reader.read(Array(table.utf8)) + reader.finish()
    #expect(reader.omitted.imageless == 1)
  }

  // MARK: Drafts

  /// Shopify says it in the first row of a product only; what it says of the first is not a word on the next.
  /// A product of which no row says anything may be a draft whose first row was deleted.
  @Test func imagesOfDraftsAreLeftOut() {
    let table = """
      Handle,Published,Image Src,Status
      shirt,TRUE,https://a/1.jpg,active
      shirt,,https://a/2.jpg,
      hat,true,https://a/3.jpg,draft
      hat,,https://a/4.jpg,
      shoe,false,,active
      shoe,,https://a/5.jpg,
      bag,,https://a/6.jpg,
      belt,maybe,https://a/7.jpg,active
      belt,,https://a/8.jpg,
      scarf,,https://a/9.jpg,Active
      """
    let mapping = ColumnMapping([
      .url: ["Image Src"], .id: ["Handle"], .published: ["Published", "Status"],
    ])
    #expect(
      ListOutline.lines(table, columns: mapping) == [
        "2 shirt https://a/1.jpg shared", "3 shirt https://a/2.jpg shared",
        "9: \"maybe\" does not say whether it is published; expected a word such as true, active, false or draft",
        "11 scarf https://a/9.jpg shared",
      ])
    // What one row means may be in the row before: they are not compared in parts.
    var reader = ManifestReader(columns: mapping)
    var bytes = Array(table.utf8)[...]
    let parts = reader.parts(&bytes, limit: .max) + reader.finishParts()
    #expect(parts.allSatisfy { $0.digest == nil })
    #expect((reader.omitted.imageless, reader.omitted.unpublished) == (1, 5))
  }

  /// The row that can't be read may be the one that says that the product is a draft.
  @Test func afterARowThatIsLostNothingIsPublishedUnsaid() {
    let mapping = ColumnMapping([.url: ["Image Src"], .id: ["Handle"], .published: ["Status"]])
    for lost in ["hat,https://a/1.jpg,draft,more", "hat,\"https://a/1.jpg\"x,draft"] {
      let table =
        "Handle,Image Src,Status\n\(lost)\nhat,https://a/2.jpg,\nbag,https://a/3.jpg,\n"
        + "shoe,https://a/4.jpg,active\nshoe,https://a/5.jpg,\nbelt,https://a/6.jpg,"
      let lines = ListOutline.lines(table, columns: mapping)
      #expect(
        lines.dropFirst() == [
          "5 shoe https://a/4.jpg shared", "6 shoe https://a/5.jpg shared",
        ], "\(lines)")
    }
  }

  @Test func jsonSaysWhatIsPublished() {
    let mapping = ColumnMapping([.url: ["u"], .id: ["id"], .published: ["shop.visible"]])
    let lines = """
      {"id": 1, "u": "https://a/1", "shop": {"visible": true}}
      {"id": 2, "u": "https://a/2", "shop": {"visible": false}}
      {"id": 3, "u": "https://a/3", "shop": {"visible": 0}}
      {"id": 4, "u": false, "shop": {"visible": true}}
      {"id": 5, "u": "https://a/5"}
      """
    #expect(
      ListOutline.lines(lines, columns: mapping)
        == ["1 1 https://a/1 shared", "5 5 https://a/5 shared"])
  }

  /// Without a mapping the word may mean anything.
  @Test func aColumnOfThatNameIsNoneByItself() {
    #expect(
      ListOutline.lines("url,published\nhttps://a/1,false", columns: nil)
        == ["2 https://a/1 https://a/1"])
    #expect(
      ListOutline.lines(
        "u,published\nhttps://a/1,2024-05-01", columns: ColumnMapping([.url: ["u"]]))
        == ["2 https://a/1 https://a/1"])
  }

  @Test func aFieldMayHaveSeveralURLs() {
    let mapping = ColumnMapping(
      [.url: ["a", "b"], .id: ["id"]], separator: ",", prefix: "https://s/m")
    let table = """
      id;a;b;note
      1;/x.jpg;" /y.jpg, https://t/z.jpg ,,";n
      2;/x\\,1.jpg;/x.jpg, /x.jpg;
      """
    #expect(
      ListOutline.lines(table, columns: mapping) == [
        "2 1 https://s/m/x.jpg shared", "2 1 https://s/m/y.jpg shared",
        "2 1 https://t/z.jpg shared",
        "3 2 https://s/m/x,1.jpg shared", "3 2 https://s/m/x.jpg shared",
      ])
    // Without a separator, all of it is one URL.
    #expect(
      ListOutline.lines("a\nhttps://a/1,https://a/2", columns: ColumnMapping([.url: ["a"]]))
        == ["2 https://a/1,https://a/2 https://a/1,https://a/2"])
  }

  /// URLs of image services have commas in them.
  @Test(
    .faults(.m22),
    arguments: [
      ("https://c/w_400,h_300,c_fill/x.jpg", ["https://c/w_400,h_300,c_fill/x.jpg"]),
      ("https://c/w_1,h_2/x, https://c/w_3,h_4/y", ["https://c/w_1,h_2/x", "https://c/w_3,h_4/y"]),
      ("https://c/a?r=0,0,9,9,//d/e,/f,g,", ["https://c/a?r=0,0,9,9", "//d/e", "/f,g"]),
      ("https://c/q:80,w:4/x.jpg,HTTPS://c/y", ["https://c/q:80,w:4/x.jpg", "HTTPS://c/y"]),
      (
        "data:image/jpeg;base64,/9j/4A==,https://c/x",
        ["data:image/jpeg;base64,/9j/4A==", "https://c/x"]
      ),
      ("https://c/a\\,/b,,https://c/d", ["https://c/a,/b", "https://c/d"]),
      ("a.jpg,b.jpg, /c.jpg", ["a.jpg", "b.jpg", "/c.jpg"]),
      ("", []), (" , ", []),
    ])
  func aCommaSeparatesOnlyBeforeAURL(_ field: String, _ urls: [String]) {
    #expect(ColumnMapping(separator: ",").urls(in: field) == urls)
    #expect(
      ColumnMapping(separator: ",").urls(in: field, of: "g:Image_Link")
        == [field.trimmed].filter { !$0.isEmpty })
  }

  /// Whatever a row has, it takes time in proportion.
  @Test func manyCommasAndWordsTakeLinearTime() throws {
    let field = "/" + String(repeating: "a,", count: 200_000) + "a"
    let clock = ContinuousClock()
    let time = clock.measure {
      #expect(ColumnMapping(separator: ",").urls(in: field) == [field])
    }
    #expect(time < .seconds(30), "\(time)")
  }

  @Test func anotherMarkSeparatesAlways() {
    #expect(
      ColumnMapping(separator: "|").urls(in: "https://c/w_4,h_3/x|https://c/y | z.jpg")
        == ["https://c/w_4,h_3/x", "https://c/y", "z.jpg"])
  }

  /// The one image of a product, and its other ones, are in columns of which one has a separator.
  @Test(.faults(.m22)) func aColumnOfOneURLHasNoSeparator() {
    let mapping = ShopExport.recognized(["id", "title", "image_link", "additional_image_link"])
    #expect(
      ListOutline.lines(
        "id\ttitle\timage_link\tadditional_image_link\n"
          + "1\tT\thttps://c/w_4,/x.jpg\thttps://c/w_4,h_3/y.jpg,https://c/z.jpg\n",
        columns: mapping?.columns) == [
          "2 1 https://c/w_4,/x.jpg T shared", "2 1 https://c/w_4,h_3/y.jpg T shared",
          "2 1 https://c/z.jpg T shared",
        ])
    #expect(
      ListOutline.lines(
        "<rss xmlns:g='http://base.google.com/ns/1.0'><item><g:id>1</g:id><g:image_link>https://c/w_4,/x</g:image_link>"
          + "<g:additional_image_link>https://c/y,h_3,https://c/z</g:additional_image_link></item></rss>"
      )
        == ["1 1 https://c/w_4,/x shared", "1 1 https://c/y,h_3 shared", "1 1 https://c/z shared"])
  }

  @Test func otherMembersHaveColumns() {
    let mapping = ColumnMapping(
      [.url: ["u"], .id: ["n"], .slots: ["s"], .focus: ["f"], .views: ["v"]])
    let table =
      "n,u,s,f,v,x\n1,https://a/1,card hero,0.5 0.3,12,y\n2,https://a/2,,,,\n3,https://a/3,,1,,"
    let records = ListOutline.records(Array(table.utf8), columns: mapping)
    guard case .entry(let entry) = records[0], case .entry(let other) = records[1] else {
      Issue.record("\(records)")
      return
    }
    #expect(entry.slots == ["card", "hero"] && entry.focus?.x == 0.5 && entry.views == 12)
    #expect(other.slots == nil && other.focus == nil && other.views == nil && other.alt == nil)
    #expect(
      records[2]
        == .problem(
          ManifestProblem(
            line: 4,
            message:
              "\"focus\" must be two numbers from 0 to 1, with a blank between them, such as 0.5 0.3"
          )))
    // A column that says something else becomes public only by its name.
    for (extra, expected) in [
      (ExtraMembers.all, #" {"x":"y"}"#), (.named([]), ""),
      (.named(["u"]), #" {"u":"https://a/1"}"#),
    ] {
      #expect(
        ListOutline.lines(table, columns: mapping, extra: extra)[0]
          == "2 1 https://a/1 shared\(expected)")
    }
  }

  @Test func pathsLeadIntoJSON() {
    let mapping = ColumnMapping([
      .url: ["images[0].src", "more.src"], .id: ["id"], .alt: ["title.en"],
    ])
    let lines = """
      {"id": 17, "images": [{"src": "https://a/1"}, {"src": "https://a/2"}], "title": {"en": "T"}, "ulr": 1}
      {"id": "b", "images": {"src": "https://a/3"}, "more": [{"src": "https://a/4"}, {"src": "https://a/5"}]}
      {"id": "c", "images": []}
      {"id": "d", "images[0].src": "https://a/6", "extra": {"k": 1}}
      """
    #expect(
      ListOutline.lines(lines, columns: mapping) == [
        "1 17 https://a/1 T shared", "2 b https://a/3 shared", "2 b https://a/4 shared",
        "2 b https://a/5 shared", #"4 d https://a/6 shared {"k":1}"#,
      ])
  }

  @Test(arguments: ["", "a..b", ".a", "a.", "a[x]", "a[-1]", "a[0", "[0]", "a[0]b"])
  func aPathThatLeadsNowhereIsNone(_ text: String) { #expect(MemberPath(text) == nil) }

  @Test func pathsFollowArrays() throws {
    let value = try JSONParser.parse(Array(#"{"a":[{"b":[1,"2"]},{"b":3},4],"c":null}"#.utf8))
    for (path, texts) in [
      ("a.b", ["1", "2", "3"]), ("a[].b", ["1", "2", "3"]), ("a[1].b", ["3"]), ("a[0].b[1]", ["2"]),
      ("a", ["4"]), ("c", []), ("d", []), ("a[9]", []),
    ] {
      #expect(MemberPath(path)?.texts(in: value) == texts, "\(path)")
    }
  }

  /// One message says what is wrong with a header row, and nothing of the table is read.
  @Test(arguments: [
    (
      "id,image\n1,2",
      "there is no column \"Image Src\", which \"columns\" in the pipeline file names; it has id, image"
    ),
    (
      "Handle,Image_Src,Title,Image Alt Text\n1,2,3,4",
      "there is no column \"Image Src\", which \"columns\" in the pipeline file names (did you mean \"Image_Src\"?); it has Handle, Image_Src, Title, Image Alt Text"
    ),
    (
      "https://a/1\n",
      "\"columns\" in the pipeline file needs a table with a header row, or JSON Lines"
    ),
  ])
  func aTableWithoutTheColumnsIsRejected(_ table: String, _ reason: String) {
    #expect(ListOutline.lines(table, columns: Self.shirts) == ["rejected: \(reason)"])
  }

  // MARK: Other encodings

  /// A row that can't be read would leave the id of its product to another image.
  @Test func aTableInAnotherEncodingIsRejected() {
    let latin =
      Array("Handle;Image Src;Title\na;https://a/1;Stra".utf8) + [0xDF]
      + Array("e\na;https://a/2;\n".utf8)
    let rejected =
      "rejected: line 2 is not in UTF-8; save the table as \"CSV UTF-8\", or convert it, if it is from Excel: "
      + "iconv -f WINDOWS-1252 -t UTF-8 OLD.csv > NEW.csv"
    let mapping = ColumnMapping([.url: ["Image Src"], .id: ["Handle"]])
    for chunk in [1, 5, 1_000] {
      #expect(ListOutline.lines(latin, columns: mapping, chunk: chunk).last == rejected)
    }
    // Without ids that are shared, only its line is lost.
    #expect(
      ListOutline.lines(latin, columns: ColumnMapping([.url: ["Image Src"]])) == [
        "2: the line is not valid UTF-8", "3 https://a/2 https://a/2",
      ])
    // In a header row it hides a column.
    let header = Array("id;url;Gr".utf8) + [0xF6] + Array("e\na;https://a/1;2\n".utf8)
    #expect(
      ListOutline.lines(header) == [rejected.replacing("line 2", with: "line 1")])
  }

  /// A mapping that was written by hand may forget what says that a product is a draft.
  @Test func aMappingThatHeedsNoDraftsIsAMistake() {
    func mistakes(_ header: String, _ columns: [ColumnMapping.Member: [String]]) -> [String] {
      var reader = ManifestReader(columns: ColumnMapping(columns))
      _ = reader.read(Array("\(header)\n".utf8))
      return reader.leftOut.mistakes
    }
    func warning(_ lacking: String) -> [String] {
      [
        "images of drafts and of hidden products may become public; to leave them out, add to \"columns\" in the pipeline file: "
          + "\(lacking); or, if they are to be public, published: []"
      ]
    }
    let shopify = "Handle,Image Src,Status,Published"
    let published = "published: [Published, Status]"
    #expect(mistakes(shopify, [.url: ["Image Src"], .id: ["handle"]]) == warning(published))
    #expect(
      mistakes(shopify, [.url: ["Image Src"]]) == warning("id: Handle, \(published)"))
    // Of a product's rows only the first says it, and without the product's id the others are those of any.
    #expect(
      mistakes(shopify, [.url: ["Image Src"], .published: ["Status"]]) == warning("id: Handle"))
    #expect(
      mistakes(shopify, [.url: ["Image Src"], .published: ["Status"], .id: ["Handle"]]) == [])
    #expect(mistakes(shopify, [.url: ["Image Src"], .published: []]) == [])
    #expect(mistakes("Handle,Image Src", [.url: ["Image Src"]]) == [])
    // Of no known export.
    #expect(mistakes("Foto,Status", [.url: ["Foto"]]) == [])
  }

  /// Without an id, a row that says nothing is as the row before it.
  @Test func aRowWithoutAnIdIsAsTheRowBefore() {
    let rows = "Image Src,Status,SKU\n1,draft,s\n2,,\n3,active,\n4,,\n5,,t\n"
    let text = rows.replacing(#/\n(\d),/#) { "\nhttps://a/\($0.1)," }
    let urls = { (columns: [ColumnMapping.Member: [String]]) in
      ListOutline.lines(Array(text.utf8), columns: ColumnMapping(columns))
        .compactMap { $0.split(separator: "/").last?.first.map(String.init) }
    }
    let columns: [ColumnMapping.Member: [String]] = [.url: ["Image Src"], .published: ["Status"]]
    #expect(urls(columns) == ["3", "4", "5"])
    // With one, the row that said "draft" may have been deleted.
    #expect(urls(columns.merging([.id: ["SKU"]]) { $1 }) == ["3", "4"])
    #expect(urls([.url: ["Image Src"], .published: []]) == ["1", "2", "3", "4", "5"])
  }

  @Test func aPathOfAFileIsEncoded() {
    let mapping = ColumnMapping([:], separator: ",", prefix: "file:///srv/")
    #expect(
      mapping.urls(in: "a/b c#%.jpg, http://a/b c") == [
        "file:///srv/a/b%20c%23%25.jpg", "http://a/b c",
      ])
  }

  // MARK: A guess

  @Test(arguments: [
    (
      "Artikel;Bilder;Preis\n1;\"https://a/1.jpg, https://a/2.jpg\";5\n2;;5\n",
      "{url: Bilder, separator: \",\"}"
    ),
    ("SKU\tBild\n1\thttps://a/1.jpg\n2\thttps://a/2.jpg\n3\thtt", "{url: Bild, id: SKU}"),
    // The column with the most of them.
    ("a,b,Seite,Foto\n1,2,,https://a/1\n1,2,https://a/2,https://a/3\n", "{url: Foto}"),
    // Paths, where nothing is a URL: only of files that are named as images.
    (
      "sku,page,file\n1,a.html,a.jpg\n2,b.html,\"x/b c.PNG, /d.webp\"\n",
      "{url: file, id: sku, separator: \",\"}"
    ),
    ("page,file\nhttps://a/1,a.jpg\nhttps://a/2,b.jpg\n", "{url: file}"),
    ("image,file\nhttps://a/1,a.jpg\nhttps://a/2,b.jpg\n", "{url: image}"),
    ("page,file\nhttps://a/1,a\nhttps://a/2,b\n", "{url: page}"),
    ("a;Foto\n1;https://c/w_4,h_3/x.jpg\n", "{url: Foto}"),
    ("a,b\n1,2\n", nil), ("a,b\n1,https://a/1\n1,no URL\n", nil), ("https://a/1\n", nil),
    ("<html>", nil), ("", nil),
  ])
  func theColumnOfTheURLsIsFound(_ table: String, _ mapping: String?) {
    #expect(ColumnGuess(Array(table.utf8))?.columns.yaml == mapping)
  }

  @Test(arguments: [
    (
      #"{"id": 1, "link": "https://a/p", "photo": {"src": "https://a/1", "w": 4}}"#,
      "{url: photo.src, id: id}"
    ),
    (
      #"{"SKU": 1, "gallery": [{"u": "https://a/1.webp"}, {"u": "https://a/2.webp?x"}]}"#,
      "{url: gallery.u, id: SKU}"
    ),
    // The one with the most, however the lines begin.
    (
      #"{"image": null, "shop": "https://a/logo.png"}"# + "\n"
        + #"{"image": "https://a/1", "shop": "https://a/logo.png"}"#
        + "\n" + #"{"image": ["https://a/2", "https://a/3"]}"#,
      "{url: image}"
    ),
    // Pages, and a member whose name would be a path of several.
    (#"{"id": 1, "link": "https://a/p"}"#, nil), (#"{"photo.src": "https://a/1"}"#, nil),
    (#"{"photo": "1 jpg"}"#, nil), ("{", nil),
    // Names of files in sentences, and one where the others have URLs.
    (#"{"id": 1, "note": "see also x.png"}"#, nil), (#"{"note": "a/b\nc.png"}"#, nil),
    (#"{"note": "C:\\a/b.png"}"#, nil),
    (
      #"[{"image": "https://a/1"}, {"image": "https://a/2", "logo": "https://a/l.png"}, {"image": "none.png"}]"#,
      "{url: image}"
    ),
    (#"{"filename": "a.jpg", "path": "img/a.jpg"}"#, "{url: path}"),
    // Paths of files, unless something is a URL; and what describes the one image of an object.
    (#"{"photo": {"file": "/p/1.jpg", "alt": ""}}"#, "{url: photo.file, alt: photo.alt}"),
    (
      #"[{"file": "1.jpg", "photo": {"u": "file:///p/1.jpg", "alt": "A"}}, {"photo": null}]"#,
      "{url: photo.u, alt: photo.alt}"
    ),
    (
      #"{"photos": [{"u": "https://a/1.jpg", "alt": "A"}, {"u": "https://a/2.jpg"}]}"#,
      "{url: photos.u, alt: photos.alt}"
    ),
  ])
  func theMemberOfTheURLsIsFound(_ lines: String, _ mapping: String?) {
    #expect(ColumnGuess(Array((lines + "\n").utf8))?.columns.yaml == mapping)
  }

  // MARK: Shop systems

  @Test(arguments: [
    (
      "Handle,Title,Body (HTML),Vendor,Published,Variant SKU,Image Src,Image Position,Image Alt Text,Status",
      "a Shopify export",
      "{url: Image Src, id: Handle, alt: [Image Alt Text, Title], published: [Published, Status]}"
    ),
    (
      "Title,URL handle,Description,Product image URL,Image position,Image alt text",
      "a Shopify export", "{url: Product image URL, id: URL handle, alt: [Image alt text, Title]}"
    ),
    (
      "ID,Type,SKU,Name,Published,\"Is featured?\",Images,\"Meta: _x\"", "a WooCommerce export",
      "{url: Images, id: ID, alt: Name, published: Published, separator: \",\"}"
    ),
    (
      "sku,store_view_code,name,base_image,base_image_label,small_image,additional_images,additional_image_labels",
      "a Magento export",
      "{url: [base_image, additional_images], id: sku, alt: [base_image_label, name], separator: \",\", prefix: \"https://shop.example.com/media/catalog/product\"}"
    ),
    (
      "id\ttitle\tdescription\tlink\timage_link\tadditional_image_link\tprice",
      "a Google Merchant feed",
      "{url: [image_link, additional_image_link], id: id, alt: title, separator: \",\"}"
    ),
    (
      "id\ttitle\timage link\tadditional image link", "a Google Merchant feed",
      "{url: [image link, additional image link], id: id, alt: title, separator: \",\"}"
    ),
    ("ID;Image_Link", "a Google Merchant feed", "{url: Image_Link, id: ID, separator: \",\"}"),
  ])
  func exportsOfShopsAreRecognized(_ header: String, _ name: String, _ columns: String) throws {
    guard case .rejected(let rejection) = ManifestFormat(first: header) else {
      Issue.record("\(header)")
      return
    }
    #expect(
      rejection.reason
        == "it is \(name); add this to the pipeline file: columns: \(columns)")
    // With it, the header row is one.
    let mapping = try #require(rejection.columns)
    guard case .readable(_, true) = ManifestFormat(first: header, mapping) else {
      Issue.record("\(header)")
      return
    }
  }

  @Test func imagesOfOneIDHaveNamesOfTheirOwn() {
    var entry = ManifestEntry(line: 1, id: "shirt", url: "https://a/1.jpg")
    entry.sharesID = true
    let own = entry.withOwnID(.init())
    #expect(
      own.id == "shirt#5b0a2f6c".prefix(6) + own.id.dropFirst(6) && own.id.count == 14
        && !own.sharesID)
    #expect(own.id.dropFirst(6).allSatisfy { $0.isHexDigit && !$0.isUppercase })
    // Another signature of the same URL is the same name.
    var signed = entry
    signed.url = "https://a/1.jpg?X-Amz-Signature=abc&X-Amz-Date=1"
    var again = entry
    again.url = "https://a/1.jpg?X-Amz-Signature=def&X-Amz-Date=2"
    #expect(signed.withOwnID(.init()).id == again.withOwnID(.init()).id)
    // A part of a split manifest keeps that they share an id, and what is not public of them.
    entry.others = OtherMembers(
      list: [.init("u", .string("x")), .init("v", .string("y"))], mapped: ["u"])
    let packed = ManifestEntry.unpacked(entry.packed(position: 3))
    #expect(
      packed?.0.sharesID == true && packed?.0.others.mapped == ["u"]
        && packed?.0.others.list.count == 2)
  }
}
