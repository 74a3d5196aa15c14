import Testing

@testable import TesseraPipeline

@Suite struct KeyedQueueTests {
  @Test func placesGetTheirTurnsInOrder() async {
    let queue = KeyedQueue()
    let places = (0..<200).map { _ in queue.place("key") }
    let order = Counter<[Int]>([])
    await withTaskGroup { group in
      // The tasks start in the opposite order.
      for (number, place) in places.enumerated().reversed() {
        group.addTask {
          await queue.turn(place)
          order.update { $0.append(number) }
          await Task.yield()
          queue.leave(place)
        }
      }
    }
    #expect(order.value == Array(0..<200))
    #expect(!queue.hasPlaces("key"))
  }

  @Test func oneTaskAtATimeWorksOnAKey() async {
    struct Working {
      var now: [String: Int] = [:]
      var most: [String: Int] = [:]
      var ended = 0
    }
    let queue = KeyedQueue()
    let working = Counter(Working())
    let keys = (0..<7).map { "key\($0)" }
    await withTaskGroup { group in
      for number in 0..<1_000 {
        let key = keys[number % keys.count]
        let place = queue.place(key)
        group.addTask {
          await queue.turn(place)
          working.update { state in
            state.now[key, default: 0] += 1
            state.most[key] = max(state.most[key] ?? 0, state.now[key] ?? 0)
          }
          await Task.yield()
          working.update { state in
            state.now[key, default: 0] -= 1
            state.ended += 1
          }
          queue.leave(place)
        }
      }
    }
    let result = working.value
    #expect(result.ended == 1_000)
    for key in keys {
      #expect(result.most[key] == 1)
      // A key without places takes no memory.
      #expect(!queue.hasPlaces(key))
      #expect(!queue.isAwaited(key))
    }
  }

  @Test func keysDoNotWaitForEachOther() async {
    let queue = KeyedQueue()
    let (first, second) = (queue.place("a"), queue.place("b"))
    await queue.turn(second)
    await queue.turn(first)
    queue.leave(first)
    #expect(!queue.hasPlaces("a"))
    #expect(queue.hasPlaces("b"))
    queue.leave(second)
    #expect(!queue.hasPlaces("b"))
  }

  @Test func aKeyIsAwaitedIfASecondPlaceIsTaken() {
    let queue = KeyedQueue()
    #expect(!queue.hasPlaces("key"))
    #expect(!queue.isAwaited("key"))
    let first = queue.place("key")
    #expect(queue.hasPlaces("key"))
    #expect(!queue.isAwaited("key"))
    let second = queue.place("key")
    #expect(queue.isAwaited("key"))
    queue.leave(first)
    #expect(!queue.isAwaited("key"))
    queue.leave(second)
    #expect(!queue.hasPlaces("key"))
  }

  @Test func aPlaceThatIsGivenUpEarlyIsSkipped() async {
    let queue = KeyedQueue()
    let places = (0..<3).map { _ in queue.place("key") }
    await queue.turn(places[0])
    let hasTurn = Flag()
    let last = Task {
      await queue.turn(places[2])
      hasTurn.set()
    }
    queue.leave(places[1])
    try? await Task.sleep(for: .milliseconds(10))
    #expect(!hasTurn.isSet)
    queue.leave(places[0])
    await last.value
    queue.leave(places[2])
    #expect(!queue.hasPlaces("key"))
    // To leave twice is harmless.
    queue.leave(places[2])
    #expect(!queue.hasPlaces("key"))
  }

  @Test func aTurnThatIsFreeComesAtOnceAndStays() async {
    let queue = KeyedQueue()
    let first = queue.place("key")
    let second = queue.place("key")
    queue.leave(first)
    await queue.turn(second)
    await queue.turn(second)
    queue.leave(second)
    #expect(!queue.hasPlaces("key"))
  }
}
