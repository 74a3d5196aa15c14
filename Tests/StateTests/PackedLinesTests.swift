import TesseraTestSupport
import Testing

@testable import TesseraState

/// Lines of the catalog as they are stored.
@Suite struct PackedLinesTests {
  private static let line =
    #"{"id":"person","url":"https://alice.example/1.jpg","status":"ok","width":640,"height":480,"#
    + #""alpha":false,"alt":"a portrait","focus":{"x":0.3,"y":0.6},"#
    + #""source":"abcdef0123456789abcdef0123456789","variants":[{"width":64,"height":48,"#
    + #""crop":"89abcdef","bytes":[640,null,700],"urls":[null,"https://alice.example/1"],"#
    + #""stills":[1],"quality":[80],"score":[71]}],"#
    + #""slots":{"card":{"width":180,"height":135,"variants":[0,1]}},"#
    + #""extra":{"author":["Alice",7]}}"#

  /// Lines of one pipeline, and packing and unpacking of them.
  private struct Packing {
    let database = try! Database("")
    let lines: PackedLines
    let select: Statement

    init() throws {
      try Schema.migrate(database)
      lines = try PackedLines(database)
      select = try database.prepare("SELECT ?, ?, ?, ?")
    }

    func pack(_ line: String, id: String = "person") throws -> [Statement.Value] {
      try lines.pack(line, id: id, settings: "s")
    }

    func unpack(_ values: [Statement.Value], id: String = "person") throws -> String? {
      try select.first(values + [.text(id)]) { lines.line(in: $0) } ?? nil
    }

    var shapes: Int {
      get throws {
        try database.prepare("SELECT count(*) FROM settings").first([]) { $0.int(0) } ?? 0
      }
    }
  }

  private static func bytes(_ values: [Statement.Value]) -> [UInt8] {
    if case .blob(let bytes) = values[1] { bytes } else { [] }
  }

  /// It outlives the image that it was made from.
  @Test func aShapeHasNothingOfAnImage() throws {
    let shape = try #require(LineSplitter(Self.line, id: "person")).shape
    let text = String(
      decoding: shape.map { $0 < 3 ? UInt8(ascii: "?") : $0 }, as: UTF8.self)
    #expect(
      text
        == #"{"id":"?","url":"?","status":"ok","width":?,"height":?,"alpha":false,"alt":?,"#
        + #""focus":?,"source":"?","variants":[{"width":?,"height":?,"crop":"?","#
        + #""bytes":[?,null,?],"urls":[null,"?"],"stills":[1],"quality":[?],"score":[?]}],"#
        + #""slots":{"card":{"width":?,"height":?,"variants":[0,1]}},"extra":?}"#)
  }

  @Test func linesComeBackAlsoToTheNextProcess() throws {
    let packing = try Packing()
    for settings in ["s", "", "s"] {
      let values = try packing.lines.pack(Self.line, id: "person", settings: settings)
      #expect(Self.bytes(values).count < 150)
      #expect(try packing.unpack(values) == Self.line)
      let next = try PackedLines(packing.database)
      let row = values + [.text("person")]
      #expect(try packing.select.first(row) { next.line(in: $0) } == Self.line)
      #expect(try packing.select.first(row) { next.isLine(in: $0, of: settings) } == true)
      #expect(try packing.select.first(row) { next.isLine(in: $0, of: "other") } == false)
      // Of another shape, or none.
      #expect(try packing.unpack([.int(9), values[1], values[2]]) == nil)
      #expect(try packing.unpack([values[0], .null, values[2]]) == nil)
      #expect(try packing.unpack([values[0], values[1], .null]) == nil)
      // Of another item.
      #expect(try packing.unpack(values, id: "other") == nil)
    }
    #expect(try packing.shapes == 2)
  }

  /// `why` looks at a state while a run adds lines to it.
  @Test func linesOfShapesThatCameLaterAreRead() throws {
    let packing = try Packing()
    let reader = try PackedLines(packing.database)
    let values = try packing.pack(Self.line)
    #expect(
      try packing.select.first(values + [.text("person")]) { reader.line(in: $0) } == Self.line)
  }

  /// Character by character, whatever they hold.
  @Test(arguments: [
    #"{"id":"person","url":"person"}"#, #"{"url":"http://a","b":"https://","c":"http:/"}"#,
    #"{"a":0,"b":-0,"c":-7,"d":1.50,"e":1e9,"f":999999999999999,"g":123456789012345678901}"#,
    ##"{"color":"#a0B1c2","other":"#a0b1c2","short":"#abc","not":"#a0b1cg"}"##,
    #"{"sha256":"0123456789abcdef0123456789abcdef","odd":"0123456789abcdef0"}"#,
    #"{"hash":"VAkOFwBYuWdwmXiZeHdqV4dpZ5CXB4cD","padded":"AAAAAAAAAAAAAAAAAAA=","#
      // Its last digit has bits that mean nothing.
      + #""loose":"AAAAAAAAAAAAAAAAAAB="}"#,
    #"{"alt":"a \"quote\", é and \u0001","extra":[1,{"path":"x"},null],"warnings":["w","é"]}"#,
    #"{"z":{"b":"\u00e9","a":[{"y":1,"x":"d\/e"}]},"B":1,"é":2,"b":-0.0,"a\"c":"x","7":"1.50"}"#,
    #"{"focus":{"y":0.50,"x":1e0},"alt":"\t\u0009","extra":"a string","error":12345678901234567890}"#,
    #"{"bytes":[1,null,0,-7,1.50,"x",[2]],"quality":[null],"score":[],"stills":[0,1],"urls":["a"]}"#,
    #"{"extra":null,"alt":"","variants":[],"slots":{}}"#, #"  { "id" : [ 1 , "a" ] } "#, "{}", "7",
    #""a" x"#, #""abc"#, #""a" "b""#, "{a}", "", #"{"a":"#, "\u{1}\u{2}\u{3}",
    #"{"alt":"\#(String(repeating: "words of a shop, ", count: 40))"}"#,
  ])
  func everyLineComesBack(_ line: String) throws {
    let packing = try Packing()
    for id in ["person", "", "7"] {
      let values = try packing.pack(line, id: id)
      #expect(try packing.unpack(values, id: id) == line)
    }
  }

  /// Values of other kinds are of one shape.
  @Test func linesOfOneShapeShareIt() throws {
    let packing = try Packing()
    let texts = ["a", #"\u00e9"#, "é", #"\""#, "", "0123456789abcdef", "person", "https://a/é"]
    let wholes = ["7", "0.50", "-1e2", "null", #""text""#, #"{"z":1,"a":"\/"}"#, "[1.0, 2]"]
    for (text, whole) in texts.flatMap({ text in wholes.map { (text, $0) } }) {
      let line = #"{"url":"\#(text)","bytes":3,"alt":\#(whole)}"#
      #expect(try packing.unpack(try packing.pack(line)) == line)
    }
    #expect(try packing.shapes == 1)
  }

  /// A list whose lines have too many shapes does not fill the memory with them.
  @Test func linesOfTooManyShapesAreKeptWhole() throws {
    let packing = try Packing()
    for number in 0..<1_100 {
      let line = #"{"slots":{"slot\#(number)":{"width":\#(number)}}}"#
      #expect(try packing.unpack(try packing.pack(line)) == line)
    }
    #expect(try packing.shapes == 1_025)
    #expect(try packing.unpack(try packing.pack("{a}")) == "{a}")
  }

  /// A line with a flipped bit, or cut off, is not believed.
  @Test func damagedValuesAreNoLine() throws {
    let packing = try Packing()
    let long = #"{"alt":"\#(String(repeating: "words of a shop, ", count: 20))"}"#
    for line in [Self.line, long] {
      let values = try packing.pack(line)
      let bytes = Self.bytes(values)
      for damaged in (0..<bytes.count).map({ Array(bytes.prefix($0)) }) + [bytes + [0]]
        + Self.flips(of: bytes)
      {
        #expect(try packing.unpack([values[0], .blob(damaged), values[2]]) == nil)
      }
    }
  }

  /// Values whose sum says nothing are another line, or none; none harms.
  @Test func valuesOfAnyBytesHarmNothing() throws {
    let shape = try #require(LineSplitter(Self.line, id: "person"))
    let bytes = shape.values.bytes
    for damaged in (0..<bytes.count).map({ Array(bytes.prefix($0)) }) + [bytes + [0]]
      + Self.flips(of: bytes) + (0..<256).map({ [UInt8](repeating: UInt8($0), count: 200) })
    {
      let line = damaged.withUnsafeBufferPointer { values in
        Array("person".utf8).withUnsafeBufferPointer { id in
          LineShape(shape.shape).line(values, id: id)
        }
      }
      #expect(line != Self.line)
    }
  }

  private static func flips(of bytes: [UInt8]) -> [[UInt8]] {
    (0..<bytes.count * 8).map { bit in
      var damaged = bytes
      damaged[bit / 8] ^= 1 << (bit % 8)
      return damaged
    }
  }

  /// A file whose index is damaged may give the number of a shape to another one.
  @Test func aLineOfAnotherShapeIsNone() throws {
    let packing = try Packing()
    let values = try packing.pack(#"{"format":"png","width":640}"#)
    #expect(try packing.unpack(values) == #"{"format":"png","width":640}"#)
    try packing.database.execute("DELETE FROM settings")
    let next = try PackedLines(packing.database)
    _ = try next.pack(#"{"format":"jpeg","width":9}"#, id: "a", settings: "s")
    #expect(
      try packing.select.first(values + [.text("person")]) { next.line(in: $0) } == .some(nil))
  }

  /// Lines would come back as others: such a state is set aside.
  @Test(arguments: [
    "shape = CAST(replace(CAST(shape AS TEXT), 'o', 'u') AS BLOB)", "number = number + 1",
    "digest = 'other'", "mark = 1",
  ])
  func aDamagedShapeIsNoticed(_ change: String) throws {
    let packing = try Packing()
    _ = try packing.pack(Self.line)
    try packing.database.execute("UPDATE settings SET \(change)")
    let error = #expect(throws: StateError.self) { try PackedLines(packing.database) }
    #expect(error?.kind == .incomplete && error?.suggestsDamage == true)
  }

  /// A pipeline that is changed often leaves none behind.
  @Test func settingsWithoutLinesAreForgotten() async throws {
    let state = try StateStore(path: "")
    for round in 0..<12 {
      let run = try await state.beginRun(boot: "")
      _ = try await state.claim(
        [.init(id: "a", line: 1, entry: "x"), .init(id: "b", line: 2, entry: "x")], run: run,
        position: 0)
      for (id, settings) in [("a", "s\(round)"), ("b", "s0")] {
        var change = StateStore.SourceChange()
        change.source = SourceRecord(
          content: "c",
          confirmation: .init(etag: nil, lastModified: nil, checked: 1, freshUntil: 2, run: run))
        try await state.save(
          .init(
            id: id, line: Self.line, status: "ok", reasons: [], content: nil,
            inputs: .init(settings: settings, entry: "x", source: "k")), change, key: "k")
      }
      try await state.endRun(run, .init(pipeline: "p", items: 2))
      #expect(try await state.lines(of: ["a", "b"]) == [Self.line, Self.line])
    }
    #expect((2...8).contains(try await state.countSettings()))
    // Of images that are forgotten, not even what their lines had in common stays.
    _ = try await state.erase(["a"], [])
    #expect(try await state.countSettings() == 1)
    _ = try await state.erase(["b"], [])
    #expect(try await state.countSettings() == 0)
  }
}

extension StateStore {
  fileprivate func countSettings() throws -> Int {
    try database.prepare("SELECT count(*) FROM settings").first([]) { $0.int(0) } ?? 0
  }
}
