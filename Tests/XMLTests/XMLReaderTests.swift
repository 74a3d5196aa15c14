import TesseraBytes
import Testing

/// Elements of XML texts, and what such texts must not do.
@Suite struct XMLReaderTests {
  private static let namespaces = XMLNamespaces([
    "http://a.example/ns": "a", "http://plain.example/": "",
  ])

  /// The elements named `item` as text: `item@3 x=1 "text" [child@4 …]`, or the error.
  static func outline(
    _ bytes: [UInt8], chunk: Int = 1 << 16, maximumBytes: Int = 1_000
  ) -> [String] {
    let reader = XMLReader(namespaces: namespaces, maximumBytes: maximumBytes) {
      $0.last == "item"
    }
    var found: [String] = []
    do throws(XMLError) {
      for start in stride(from: 0, through: bytes.count, by: chunk) {
        let end = min(start + chunk, bytes.count)
        for result in try reader.read(Array(bytes[start..<end]), isEnd: end == bytes.count) {
          switch result {
          case .success(let element): found.append(outline(element))
          case .failure(let error): found.append("\(error.line): \(error.message)")
          }
        }
        if end == bytes.count { break }
      }
    } catch {
      found.append("error \(error.line): \(error.message)")
    }
    return found
  }

  private static func outline(_ element: XMLElement) -> String {
    let attributes = element.attributes.map { " \($0.name)=\($0.value)" }.joined()
    let text = element.text.isEmpty ? "" : " \"\(element.text)\""
    let children = element.children.map(outline).joined(separator: ", ")
    return "\(element.name)@\(element.line)\(attributes)\(text)"
      + (children.isEmpty ? "" : " [\(children)]")
  }

  static func outline(_ text: String) -> [String] { outline(Array(text.utf8)) }

  @Test func elementsHaveWhatIsInThem() {
    let text = """
      <list xmlns:x="http://a.example/ns/" xmlns="HTTP://plain.example">
      <item one="1" x:two="2"> a &amp; b&#33; <x:part>c</x:part>
        <![CDATA[<d>]]></item>
      <other><item/></other><x:item>not wanted</x:item>
      </list>
      """
    let expected = [
      "item@2 one=1 a:two=2 \"a & b! \n  <d>\" [a:part@2 \"c\"]", "item@4",
    ]
    for chunk in [1, 7, 1_000] {
      // Text that arrives in pieces has the same white space in it.
      let found = Self.outline(Array(text.utf8), chunk: chunk)
      #expect(
        found.map { $0.replacing(" \n", with: "\n") }
          == expected.map { $0.replacing(" \n", with: "\n") })
    }
  }

  /// Names keep a prefix that nothing declares, and a namespace of which nothing is known.
  @Test func prefixesFollowFromNamespaces() {
    #expect(
      Self.outline(
        "<l><item xmlns:q='http://a.example/ns' q:x='1'><q:y/></item><item q:x='2'/></l>")
        == ["item@1 a:x=1 [a:y@1]", "item@1 q:x=2"])
    #expect(Self.outline("<l xmlns:q='http://other'><item><q:y/></item></l>") == ["item@1 [q:y@1]"])
  }

  @Test func encodingsAreRead() {
    func text(_ name: String, _ bytes: [UInt8]) -> [UInt8] {
      Array("<?xml version='1.0' encoding='\(name)'?><item>".utf8) + bytes + Array("</item>".utf8)
    }
    #expect(Self.outline(text("UTF-8", [0xC3, 0xA9])) == ["item@1 \"é\""])
    #expect(Self.outline(text("ISO-8859-1", [0xE9])) == ["item@1 \"é\""])
    #expect(Self.outline(text("windows-1252", [0x80, 0xE9])) == ["item@1 \"€é\""])
    #expect(Self.outline(text("koi8-r", [0xE9])) == ["error 1: unknown encoding"])
    let wide = "\u{FEFF}<item>é</item>".utf16.flatMap { [UInt8($0 >> 8), UInt8($0 & 0xFF)] }
    #expect(Self.outline(wide) == ["item@1 \"é\""])
  }

  /// Nothing is resolved, and nothing grows.
  @Test func trapsAreErrors() {
    let laughs = """
      <!DOCTYPE l [<!ENTITY a "ha"><!ENTITY b "&a;&a;&a;&a;&a;&a;&a;&a;">]><l><item>&b;</item></l>
      """
    let file = "<!DOCTYPE l [<!ENTITY a SYSTEM 'file:///etc/passwd'>]><l><item>&a;</item></l>"
    let parameter = "<!DOCTYPE l [<!ENTITY % a SYSTEM 'http://127.0.0.1/x'> %a;]><l/>"
    for text in [laughs, file, parameter] {
      #expect(Self.outline(text) == ["error 1: it declares entities, which a list has no use for"])
    }
    // A document type elsewhere is not looked at; old feeds have one.
    #expect(
      Self.outline("<!DOCTYPE rss SYSTEM 'http://127.0.0.1/rss.dtd'><rss><item>a</item></rss>")
        == ["item@1 \"a\""])
    let deep = String(repeating: "<d>", count: 101)
    #expect(Self.outline(deep) == ["error 1: elements are nested more than 100 deep"])
    #expect(
      Self.outline("<l><item>" + deep).last == "error 1: elements are nested more than 100 deep")
    let long = "<l " + String(repeating: "x", count: XMLReader.maximumToken + 100_000)
    #expect(Self.outline(long) == ["error 1: a tag or a comment has more than 2097152 bytes"])
  }

  /// One that is too large is an error of its own, and the others are read.
  @Test func elementsHaveLimits() {
    let text = String(repeating: "x", count: 990)
    #expect(Self.outline("<l><item>\(text)</item><item/></l>").count == 2)
    let over = "<item> has more than 1000 bytes, or more than 10000 elements"
    #expect(
      Self.outline("<l>\n<item>\(text)xxxxxxx</item><item>b</item></l>") == [
        "2: \(over)", "item@2 \"b\"",
      ])
    #expect(Self.outline("<l><item a='\(text)xxxxxxx'/><item/></l>") == ["1: \(over)", "item@1"])
    let many = "<l><item>" + String(repeating: "<a/>", count: 10_001) + "</item><item/></l>"
    #expect(
      Self.outline(Array(many.utf8), maximumBytes: 1 << 20)
        == ["1: <item> has more than 1048576 bytes, or more than 10000 elements", "item@1"])
  }

  @Test func whatIsNotXMLIsAnError() {
    for (text, message) in [
      ("<a>", "no element found"), ("<a></b>", "mismatched tag"), ("", "no element found"),
      ("<a>&nbsp</a>", "not well-formed (invalid token)"), ("a", "syntax error"),
      ("<a x=1/>", "not well-formed (invalid token)"),
    ] {
      #expect(Self.outline(text) == ["error 1: \(message)"], "\(text)")
    }
  }

  /// Any damage is an error or other elements, whatever the pieces are that it arrives in.
  @Test func damagedTextsEnd() {
    let text = Array(
      "<?xml version='1.0'?><l xmlns:x='http://a.example/ns'><item a='1'><x:b>c</x:b>&lt;</item><!-- d --><item><![CDATA[e]]></item></l>"
        .utf8)
    var state: UInt64 = 7
    func next(_ limit: Int) -> Int {
      state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      return Int(state >> 33) % limit
    }
    for _ in 0..<20_000 {
      var bytes = text
      for _ in 0...next(3) {
        switch next(3) {
        case 0: bytes[next(bytes.count)] = UInt8(next(256))
        case 1: bytes.removeSubrange(next(bytes.count)..<bytes.count)
        default:
          bytes.insert(contentsOf: bytes[next(bytes.count)...].prefix(9), at: next(bytes.count))
        }
        if bytes.isEmpty { break }
      }
      let whole = Self.outline(bytes)
      let split = Self.outline(bytes, chunk: 1 + next(40))
      // What is complete before an error arrives with the pieces before its own.
      let isError = whole.last?.hasPrefix("error") == true
      #expect((split.last?.hasPrefix("error") == true) == isError)
      #expect(isError ? whole.count <= split.count : whole == split)
    }
  }
}
