import Testing

@testable import TesseraJSON

/// Documents that are structures.
@Suite struct JSONDocumentTests {
  private enum Kind: String, Encodable, CodingKeyRepresentable { case first, second }

  private struct Part: Encodable {
    let name: String
    let seconds: Double
  }

  private struct Report: JSONDocument {
    let schema = "tessera-test/1"
    var seconds = 1.23456
    var whole = 2.0
    var odd = Double.nan
    var missing: Int?
    @Omitting(0) var none = 0
    @Omitting(0) var some = 7
    @Omitting([:]) var empty: [String: Int] = [:]
    @Omitting([:]) var counts = ["b": 2, "a": 1]
    var rungs = [20: "x", 3: "y"]
    var kinds = [Kind.second: 0.12345, .first: 1]
    var ordered = JSONMembers([(name: "z", value: Part(name: "p", seconds: 0.0004))])
    var value: JSONValue = ["z": 1, "a": [true, .null]]
    var list = [0.5, 0.00049]
    var nested: [[String: Int]] = [[:], ["b": 1, "a": 2]]
  }

  @Test func aDocumentHasItsPropertiesInTheirOrder() {
    var report = Report()
    report.ordered.append("a", Part(name: "q", seconds: 3))
    #expect(
      String(decoding: JSONCoding.text(report), as: UTF8.self)
        == #"{"schema":"tessera-test/1","seconds":1.235,"whole":2,"odd":null,"some":7,"#
        + #""counts":{"a":1,"b":2},"rungs":{"3":"y","20":"x"},"kinds":{"first":1,"second":0.123},"#
        + #""ordered":{"z":{"name":"p","seconds":0},"a":{"name":"q","seconds":3}},"#
        + #""value":{"z":1,"a":[true,null]},"list":[0.5,0],"nested":[{},{"a":2,"b":1}]}"# + "\n")
    let lines = String(decoding: report.json, as: UTF8.self).split(separator: "\n")
    #expect(lines.prefix(3) == ["{", "  \"schema\": \"tessera-test/1\",", "  \"seconds\": 1.235,"])
    #expect(lines.last == "}")
  }

  /// What encodes nothing has no place in an object, and is null elsewhere.
  @Test func whatEncodesNothingIsLeftOut() throws {
    struct Numbers: Encodable { @Omitting(0) var number = 0 }
    #expect(try JSONCoding.json(Numbers(number: 0)) == [:])
    #expect(try JSONCoding.json(Numbers(number: 5)) == ["number": 5])
    #expect(
      try JSONCoding.json([Omitting(wrappedValue: 1, 1), Omitting(wrappedValue: 2, 1)])
        == [.null, 2])
    #expect(try JSONCoding.json(Omitting(wrappedValue: "", "")) == .null)
  }

  /// Messages have numbers with all their digits.
  @Test func onlyDocumentsAreRounded() throws {
    #expect(try JSONCoding.json(1.23456) == .number("1.23456"))
    #expect(try JSONCoding.json(2.0) == .number("2.0"))
  }
}
