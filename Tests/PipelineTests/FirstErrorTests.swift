import Testing

@testable import TesseraPipeline

@Suite struct FirstErrorTests {
  private struct Numbered: Error, Equatable {
    var number: Int
  }

  @Test func theFirstErrorIsKept() {
    let first = FirstError()
    #expect(first.error == nil)
    for number in 1...3 { first.note(Numbered(number: number)) }
    first.note(CancellationError())
    #expect(first.error as? Numbered == Numbered(number: 1))
  }

  @Test func ofManyTasksOneErrorIsKept() async {
    let first = FirstError()
    await withTaskGroup { group in
      for number in 0..<200 { group.addTask { first.note(Numbered(number: number)) } }
      group.addTask {
        // Once there is one, it stays.
        var seen: Numbered?
        for _ in 0..<200 {
          let error = first.error as? Numbered
          if seen != nil { #expect(error == seen) }
          seen = error ?? seen
          await Task.yield()
        }
      }
    }
    #expect(first.error is Numbered)
  }
}
