import Testing

@testable import TesseraPipeline

@Suite struct SourceTurnsTests {
  @Test func aSourceIsUndisturbedIfNoItemOfItIsInFlight() {
    let turns = SourceTurns()
    turns.beginVerdicts()
    #expect(turns.isUndisturbed("a"))
    let place = turns.queue.place("a")
    #expect(!turns.isUndisturbed("a"))
    #expect(turns.isUndisturbed("b"))
    turns.queue.leave(place)
    #expect(turns.isUndisturbed("a"))
  }

  @Test func anItemThatEndedWhileTheVerdictWasMadeDisturbsIt() {
    let turns = SourceTurns()
    let place = turns.queue.place("a")
    turns.beginVerdicts()
    // The item ends before its turn does: one of the two always shows it.
    turns.noteEnd("a")
    #expect(!turns.isUndisturbed("a"))
    turns.queue.leave(place)
    #expect(!turns.isUndisturbed("a"))
    #expect(turns.isUndisturbed("b"))
    // The verdicts of the next batch know its result.
    turns.beginVerdicts()
    #expect(turns.isUndisturbed("a"))
  }

  @Test func withoutVerdictsNothingIsUndisturbedAndNothingIsNoted() {
    let turns = SourceTurns()
    turns.endVerdicts()
    turns.noteEnd("a")
    #expect(!turns.isUndisturbed("a"))
    #expect(!turns.isUndisturbed("b"))
    turns.beginVerdicts()
    #expect(turns.isUndisturbed("a"))
  }
}
