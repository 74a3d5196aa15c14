import Testing

@testable import tessera

@Suite struct MessageCapTests {
  /// The sentence in place of all other messages is printed once, as the twentieth line.
  @Test func theRestIsOneSentence() {
    let cap = MessageCap("and so on")
    let printed = (1...100).map { cap.text(for: "message \($0)") }
    #expect(printed.prefix(19).elementsEqual((1...19).map { "message \($0)" }))
    #expect(printed[19] == "and so on")
    #expect(printed.dropFirst(20).allSatisfy { $0 == nil })
  }
}
