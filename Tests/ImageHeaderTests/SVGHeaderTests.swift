import TesseraTestSupport
import Testing

@testable import TesseraImageHeader

/// SVG by its root element (SVG 2, section 8; CSS Values 3, section 5.2).
@Suite struct SVGHeaderTests {
  private static func read(_ text: String) -> String { whole(ascii(text)) }

  private static let nothing =
    "malformed: an SVG image, but it has neither width and height nor a view box"

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

  @Test(arguments: ["", "x", "0", "-7", "7%", "7vw", "px", "e", "1e9", "999999999.9e3", "--7"])
  func whatIsNoLength(_ text: String) {
    #expect(Self.read("<svg width='\(text)' height='3'></svg>") == Self.nothing)
    #expect(Self.read("<svg width='3' height='\(text)'></svg>") == Self.nothing)
  }

  @Test(arguments: [
    ("viewBox='0 0 20 10'", "20x10"), ("viewBox='-5,-5,20.4,\n10.6'", "20x11"),
    ("width='40' viewBox='0 0 20 10'", "40x20"), ("height='40' viewBox='0 0 20 10'", "80x40"),
    ("width='7' height='9' viewBox='0 0 20 10'", "7x9"),
    ("width='50%' height='9' viewBox='0\t0\r20 10'", "18x9"),
    ("width='7' width='8' height='9'", "7x9"), ("xml:width='5' width = \"7\" height= '9'", "7x9"),
    ("title='width=\"3\"' width='7' height='9'", "7x9"), ("a='>' width='7' height='9'", "7x9"),
    ("a=\">'\" width='7' height='9'", "7x9"), ("a='\">' width='7' height='9'", "7x9"),
    ("a='' width='7' height='9' b=''", "7x9"),
  ])
  func sizes(_ attributes: String, _ size: String) {
    #expect(Self.read("<svg \(attributes)>") == "svg \(size)@8 alpha")
    #expect(Self.read("<svg\n\(attributes)/>") == "svg \(size)@8 alpha")
  }

  @Test(arguments: [
    "viewBox='0 0 20'", "viewBox='0 0 20 10 5'", "viewBox='0 0 0 10'", "viewBox='0 0 20 0'",
    "viewBox='0 0 -20 10'", "viewBox='0 0 x 10'", "viewbox='0 0 20 10'", "width='7'", "height='9'",
    "width=7 height=9", "width='7' height=9", "", "viewBox='0 0 1e9 10'", "viewBox='0 0 10 1e9'",
  ])
  func attributesWithoutASize(_ attributes: String) {
    #expect(Self.read("<svg \(attributes)>") == Self.nothing)
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
    #expect(Self.read("<svg/>") == Self.nothing && Self.read("<svg >") == Self.nothing)
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
    expectMost(reach - 6) { read($0, "<svg ", ">") == Self.nothing }
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
