import TesseraTestSupport
import Testing

@testable import TesseraImageHeader

/// SVG by its root element (SVG 2, section 8; CSS Values 3, section 5.2).
@Suite struct SVGHeaderTests {
  private static func read(_ text: String) -> String { whole(ascii(text)) }

  /// In CSS pixels, 96 per inch.
  @Test(arguments: [
    ("960", 960), ("960px", 960), ("720pt", 960), ("60pc", 960), ("10in", 960), ("25.4cm", 960),
    ("254mm", 960), ("1016q", 960), ("60em", 960), ("60rem", 960), ("120ex", 960), ("10IN", 960),
    (" 960 px ", 960), ("9.6e2", 960), ("+9600E-1px", 960), ("0.4", 1), ("1.4", 1), ("1.5", 2),
    ("0.0001", 1), ("1em", 16), ("2ex", 16), ("999999999", 999_999_999),
  ])
  func lengths(_ text: String, _ side: Int) {
    #expect(Self.read("<svg width='\(text)' height='3'/>") == "svg \(side)x3@8 alpha")
    #expect(Self.read("<svg width='3' height='\(text)'/>") == "svg 3x\(side)@8 alpha")
  }

  /// As in Chromium: 300 by 150, or what is stated of the two.
  @Test(arguments: ["", "x", "7%", "7vw", "px", "e", "--7"])
  func whatIsNoLength(_ text: String) {
    #expect(Self.read("<svg width='\(text)' height='3'></svg>") == "svg 300x3@8 alpha")
    #expect(Self.read("<svg width='3' height='\(text)'></svg>") == "svg 3x150@8 alpha")
  }

  @Test(arguments: [
    ("0", "one of its sides is 0"), ("-7", "one of its sides is -7"),
    ("&w;", "one of its sides is an entity"), ("1e9", "one of its sides is longer than any image"),
    ("999999999.9e3", "one of its sides is longer than any image"),
  ])
  func impossibleLengths(_ text: String, _ reason: String) {
    let expected = "malformed: an SVG image, but \(reason)"
    #expect(Self.read("<svg width='\(text)' height='3'></svg>") == expected)
    #expect(Self.read("<svg width='3' height='\(text)'></svg>") == expected)
  }

  /// The file as librsvg gets it: with its size in pixels, and with text of 16 pixels.
  @Test(arguments: [
    ("<svg/>", "<svg font-size=\"16px\" style=\"width:300px;height:150px\"/>"),
    (
      "<?xml?><!-- --><s:svg width='1in' height='7'>",
      "<?xml?><!-- --><s:svg font-size=\"16px\" style=\"width:96px;height:7px\" width='1in' height='7'>"
    ),
    (
      "<svg é='1' style='color:red' font-size='9' viewBox='0 0 5 6'>",
      "<svg é='1' style='color:red;width:5px;height:6px' font-size='9' viewBox='0 0 5 6'>"
    ),
  ])
  func theSizeIsWrittenIntoTheDrawing(_ text: String, _ expected: String) throws {
    let bytes = ascii(text)
    guard case .header(let header) = ImageHeader.read(bytes.span, isWhole: true) else {
      throw NoHeader()
    }
    var edited = bytes
    for edit in header.coded.edits.reversed() {
      edited.replaceSubrange(edit.range, with: edit.bytes)
    }
    #expect(String(decoding: edited, as: UTF8.self) == expected)
  }

  private struct NoHeader: Error {}

  @Test(arguments: [
    ("viewBox='0 0 20 10'", "20x10"), ("viewBox='-5,-5,20.4,\n10.6'", "20x11"),
    ("width='40' viewBox='0 0 20 10'", "40x20"), ("height='40' viewBox='0 0 20 10'", "80x40"),
    ("width='7' height='9' viewBox='0 0 20 10'", "7x9"),
    ("width='50%' height='9' viewBox='0\t0\r20 10'", "18x9"),
    ("width='7' width='8' height='9'", "7x9"), ("xml:width='5' width = \"7\" height= '9'", "7x9"),
    ("title='width=\"3\"' width='7' height='9'", "7x9"), ("a='>' width='7' height='9'", "7x9"),
    ("a=\">'\" width='7' height='9'", "7x9"), ("a='\">' width='7' height='9'", "7x9"),
    ("a='' width='7' height='9' b=''", "7x9"), ("viewBox='0 0 20'", "300x150"),
    ("viewBox='0 0 20 10 5'", "300x150"), ("viewBox='0 0 0 10'", "300x150"),
    ("viewBox='0 0 20 0'", "300x150"), ("viewBox='0 0 -20 10'", "300x150"),
    ("viewBox='0 0 x 10'", "300x150"), ("viewbox='0 0 20 10'", "300x150"), ("width='7'", "7x150"),
    ("height='9'", "300x9"), ("width=7 height=9", "300x150"), ("width='7' height=9", "7x150"),
    ("", "300x150"), ("style='width:7px;height:9px'", "300x150"),
  ])
  func sizes(_ attributes: String, _ size: String) {
    #expect(Self.read("<svg \(attributes)>") == "svg \(size)@8 alpha")
    #expect(Self.read("<svg\n\(attributes)/>") == "svg \(size)@8 alpha")
  }

  /// What may precede the root element: a byte order mark, blanks, declarations, comments.
  @Test(arguments: [
    "", "\u{FEFF}", " \t\r\n\u{0B}\u{0C}", "\u{FEFF}\n", "<?xml version='1.0'?>",
    "<?xml v?>\n<?a >?>",
    "<!-- <svg width='1' height='1'> > -- -->", "<?xml?><!---->", "<!DOCTYPE svg>",
    "<?xml?><!DOCTYPE svg PUBLIC 'a'>\n<!-- -->", "<!DOCTYPE svg [<!ENTITY a '>'> <!ELEMENT b>]>",
    "<!DOCTYPE svg [[>]>]>", "<?xml?> text > ", "<!-- a\n--><!-- b -->",
  ])
  func prologs(_ prolog: String) {
    let root = "width='7' height='9'/>"
    #expect(Self.read("\(prolog)<svg \(root)") == "svg 7x9@8 alpha")
    if prolog.contains("<") {
      #expect(Self.read("\(prolog)<s:svg \(root)") == "svg 7x9@8 alpha")
    }
    #expect(!Self.read("\(prolog)<html \(root)").hasPrefix("svg "))
  }

  @Test func theRootElementIsTheFirst() {
    #expect(
      Self.read("<?xml?><feed><svg width='7' height='9'/></feed>")
        == "malformed: an SVG image, but its outermost element is feed, not svg")
    #expect(
      Self.read("<?xml?><\(String(repeating: "a", count: 50)) ><svg>")
        == "malformed: an SVG image, but its outermost element is "
        + "\(String(repeating: "a", count: 40)), not svg"
    )
    #expect(Self.read("<svgs width='7' height='9'>").hasSuffix("element is svgs, not svg"))
    #expect(Self.read("<svg/>") == "svg 300x150@8 alpha")
    #expect(Self.read("<svg").hasPrefix("not-image: ") && Self.read("<sv").hasPrefix("not-image: "))
  }

  @Test func searchesHaveCeilings() {
    func read(_ filling: Int, _ before: String, _ after: String) -> String {
      Self.read("\(before)\(String(repeating: " ", count: filling))\(after)")
    }
    let root = "<svg width='7' height='9'>"
    // Blanks before anything else.
    expectMost(64) { read($0, "", root) == "svg 7x9@8 alpha" }
    // The element begins in the first 4 KiB, with its name.
    expectMost(4_096 - 11) { read($0, "<?xml?>", root) == "svg 7x9@8 alpha" }
    expectMost(4_096 - 13) {
      read($0, "<?xml?>", "<s:svg width='7' height='9'>") == "svg 7x9@8 alpha"
    }
    let reach = 65_536
    expectMost(reach - 6) { read($0, "<svg ", ">") == "svg 300x150@8 alpha" }
    #expect(
      read(reach, "<svg ", ">") == "malformed: an SVG image, but its svg element has no end")
    #expect(
      read(reach, "<?xml?><!-- <svg ", "-->")
        == "malformed: an SVG image, but a comment at its start has no end")
    #expect(
      read(reach, "<!DOCTYPE svg [<svg ", "]>")
        == "malformed: an SVG image, but its document type declaration has no end")
    #expect(
      read(reach, "<?xml?><!-- <svg -->", root)
        == "malformed: an SVG image, but it has no svg element in its first 65536 bytes")
  }

  @Test func eachLengthHasItsAnswer() {
    #expect(
      answersByLength(ascii("<svg width='7' height='9'>")) == [
        "0 not-image", "6 truncated", "26 svg 7x9@8 alpha",
      ])
    #expect(
      answersByLength(ascii("<?xml?><!--a--><svg width='7' height='9'>")) == [
        "0 not-image", "19 truncated", "41 svg 7x9@8 alpha",
      ])
    #expect(
      answersByLength(ascii("<!DOCTYPE svg><svg width='7' height='9'>")) == [
        "0 not-image", "18 truncated", "40 svg 7x9@8 alpha",
      ])
    #expect(beginning(ascii("<svg a='\(String(repeating: " ", count: 34))")) == "needs 42..<43")
  }
}
