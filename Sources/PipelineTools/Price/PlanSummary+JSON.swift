internal import TesseraJSON
package import TesseraPipeline
internal import TesseraPlan

extension LadderPrice {
  /// The ladder's name, or its sizes with commas between them.
  package var name: String { steps.name }
}

extension PlanSummary {
  /// The document that `plan --json` prints.
  ///
  /// - Parameters:
  ///   - choice: of a ladder; printed if ``LadderChoice/isWanted``.
  ///   - next: what the next run will do.
  package func json(_ choice: LadderChoice, next: RunForecast? = nil) -> [UInt8] {
    PlanDocument(self, choice, next: next).json
  }
}

private struct PlanDocument: JSONDocument {
  let schema = "tessera-plan/1"
  let next: RunForecast?
  let items, unknown, measured: Int
  let log: Log?
  let fit: Fit?
  let ladders: [Price]?
  let longBoxes: LongBoxes?

  struct Log: Encodable {
    let requests, images, unread: Int
  }

  /// How much more a view costs than with exact sizes, as a part of that, by the number of rungs.
  struct Fit: Encodable {
    let by: String
    let others: JSONMembers<Double>
    let ladders: [Candidate]
  }

  struct Candidate: Encodable {
    let rounding: [Int]
    let excess: Double
  }

  struct Price: Encodable {
    let rounding: String
    let asked, made, shared, pixelsAsked, pixelsDelivered, estimatedBytes: Int
    let view: View
    let rungs: [Int: Int]
    let fallbacks: [String: LadderPrice.Fallen]
  }

  /// What one view fetches on average, beside exact sizes: in all places, or in one.
  struct View: Encodable {
    var slot: String?
    var scale: Int?
    let bytes, pixels, exactBytes, exactPixels: Int
    var places: [View]?

    init(_ sum: ViewPrice.Sum, _ exact: ViewPrice.Sum) {
      (bytes, pixels) = (sum.meanBytes, sum.meanPixels)
      (exactBytes, exactPixels) = (exact.meanBytes, exact.meanPixels)
    }

    init(_ price: ViewPrice, _ exact: ViewPrice) {
      self.init(price.total, exact.total)
      places = zip(price.places, exact.places).map { place, same in
        var view = View(place.sum, same.sum)
        (view.slot, view.scale) = (place.slot, place.scale)
        return view
      }
    }
  }

  init(_ summary: PlanSummary, _ choice: LadderChoice, next: RunForecast?) {
    self.next = next
    (items, unknown, measured) = (summary.items, summary.unknown, summary.measured)
    log = summary.log.map { Log(requests: $0.views, images: summary.viewed, unread: $0.unread) }
    longBoxes = summary.longBoxes.images > 0 ? summary.longBoxes : nil
    guard !choice.isWanted else {
      fit = Fit(
        by: choice.unit,
        others: JSONMembers(summary.ladders.map { ($0.name, choice.excess($0.ladder)) }),
        ladders: choice.candidates.map { Candidate(rounding: $0.rungs, excess: $0.excess) })
      ladders = nil
      return
    }
    fit = nil
    ladders = summary.ladders.map { ladder in
      Price(
        rounding: ladder.name, asked: ladder.asked, made: ladder.made, shared: ladder.shared,
        pixelsAsked: Int(ladder.pixelsAsked), pixelsDelivered: Int(ladder.pixelsDelivered),
        estimatedBytes: Int(ladder.bytes), view: View(ladder.views, summary.exact),
        rungs: ladder.rungs, fallbacks: ladder.fallbacks)
    }
  }
}
