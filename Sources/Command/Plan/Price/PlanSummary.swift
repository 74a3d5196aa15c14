internal import TesseraCatalog
internal import TesseraJSON
internal import TesseraPipeline
internal import TesseraPlan

/// The price of a pipeline for a manifest: which files would be requested, and which made.
struct PlanSummary: Sendable {
  var items = 0
  /// Items that cannot be planned for: their size is not known, or a run would reject them.
  var unknown = 0
  /// Images with files, from whose bytes those of other sizes follow.
  var measured = 0
  /// Images whose files were requested, if there is a log.
  var viewed = 0
  /// The log that says how often files were requested; nil if the pipeline's weights do.
  var log: AccessLog?
  /// Of the files of earlier runs.
  var formats: [CatalogFormat] = []
  /// Of the first images that could not be probed: the URL without secrets, and why.
  var failures: [(source: String, reason: String)] = []
  private static let listedFailures = 5
  private(set) var longBoxes = LongBoxes()
  /// The price on each compared ladder; the pipeline's own if none is compared.
  var ladders: [LadderPrice]
  /// With exact sizes.
  var exact: ViewPrice
  /// What a ladder has to serve.
  var demand: LadderDemand
  /// Whether files are counted, and not only what a ladder has to serve.
  private let countsFiles: Bool
  /// Which side of it.
  let side: Rounding.Side

  init(
    ladders: [LadderPrice], _ settings: PlanSettings, cost: LadderDemand.Cost = .bytes,
    countsFiles: Bool = true
  ) {
    self.ladders = ladders
    self.countsFiles = countsFiles
    exact = ViewPrice(settings)
    demand = LadderDemand(cost)
    side = settings.rounding.side
  }

  mutating func addFailure(_ source: String, _ reason: String) {
    unknown += 1
    if failures.count < Self.listedFailures { failures.append((source, reason)) }
  }

  /// - Parameters:
  ///   - views: how often it is viewed, relative to others.
  ///   - line: of the item in the catalog, if it has one.
  mutating func add(
    _ source: PlanSource, id: String, slots: [String]? = nil, views: Double = 1,
    _ settings: PlanSettings, line: ArraySlice<UInt8>? = nil
  ) {
    let known = line.flatMap { FileBytes.factor($0, formats, of: source, settings) }
    if known != nil { measured += 1 }
    let factor = known ?? 1
    var weights = ViewWeights(settings).times(views)
    if log != nil {
      let logged = line.flatMap { log?.takeWeights(of: $0, formats, settings) }
      if logged != nil { viewed += 1 }
      weights = logged ?? weights.times(0)
    }
    settings.forEachDemand(of: source, slots: slots, weights) { request, weight in
      demand.add(request, weight: weight * (demand.cost == .bytes ? factor : 1))
    }
    guard countsFiles else { return }
    longBoxes.add(source, id: id, slots: slots, settings)
    var settings = settings
    settings.rounding.steps = .exact
    let plan = Plan(for: source, settings: settings, slots: slots)
    exact.add(plan, of: source, weights, factor: factor)
    for index in ladders.indices {
      settings.rounding.steps = ladders[index].steps
      let plan = Plan(for: source, settings: settings, slots: slots)
      ladders[index].add(plan, of: source, id: id, weights, factor: factor)
    }
  }
}

extension PlanSummary {
  /// Of one image, whose plans on several ladders these are.
  init(of plans: [ImagePlan], cost: LadderCost?, _ settings: PlanSettings) {
    self.init(
      ladders: plans.map { LadderPrice($0.steps, settings) }, settings, cost: cost ?? .bytes)
    items = 1
    if let source = plans.first?.source { add(source, id: "", settings) }
  }
}

/// What the files of an image say about estimates of other files of it: drawings take far less than photographs, noise takes
/// more.
enum FileBytes {
  /// Files of a few hundred bytes say nothing about large ones.
  private static let range = 1.0 / 50...50

  /// How many times the estimated bytes the files of a line of the catalog have that are in the preferred format; nil without
  /// such a file.
  static func factor(
    _ line: ArraySlice<UInt8>, _ formats: [CatalogFormat], of source: PlanSource,
    _ settings: PlanSettings
  ) -> Double? {
    guard let files = ReusedLine(line, formats)?.files,
      let format = settings.preferredFormat(of: source)
    else { return nil }
    var (bytes, estimate) = (0.0, 0.0)
    for file in files {
      guard let form = FileName.parts(of: file.path), form.fileExtension == format.fileExtension
      else { continue }
      bytes += Double(file.bytes)
      estimate += settings.estimatedBytes(Size(form.width, form.height), format, of: source)
    }
    guard bytes > 0, estimate > 0 else { return nil }
    return min(max(bytes / estimate, range.lowerBound), range.upperBound)
  }
}

extension LadderPrice {
  /// The ladder's name, or its sizes with commas between them.
  var name: String { steps.name }
}

extension PlanSummary {
  /// The document that `plan --json` prints.
  ///
  /// - Parameters:
  ///   - choice: of a ladder; printed if ``LadderChoice/isWanted``.
  ///   - next: what the next run will do.
  func json(_ choice: LadderChoice, next: RunForecast? = nil) -> [UInt8] {
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

/// Ladders of one to some rungs that fit the views of a manifest best, beside those with a name.
struct LadderChoice: Sendable {
  struct Candidate: Sendable, Equatable {
    /// Ascending.
    let rungs: [Int]
    /// How much more a view costs than with exact sizes, as a part of that.
    let excess: Double
  }

  /// What a view costs: `bytes` or `pixels`.
  let unit: String
  /// Whether ``chosen`` has as many rungs as the command line wants; otherwise ``standard``.
  let isWanted: Bool
  /// By their number of rungs, ascending from one.
  let candidates: [Candidate]
  /// The one that is wanted, or one of fewer rungs if there are not as many lengths; nil without any.
  let chosen: Candidate?
  /// How much more a view costs with the first ladder of the summary, as a part of exact sizes.
  let excess: Double
  /// The ladders with a name, without the first of the summary.
  let others: [Ladder]
  private let demand: LadderDemand
  private let side: Rounding.Side

  /// The number of rungs up to which candidates are listed at least.
  private static let listed = 16
  /// As many as there are powers of two from 16 to 2048.
  private static let standard = 8

  /// - Parameter wanted: how many rungs; nil without a wish.
  init(_ summary: PlanSummary, wanted: Int?) {
    demand = summary.demand
    side = summary.side
    unit = demand.cost.rawValue
    isWanted = wanted != nil
    let exact = demand.cost(.exact)
    let fit = LadderFit(demand, most: max(wanted ?? Self.standard, Self.listed))
    candidates = fit.ladders.map {
      Candidate(rungs: $0.rungs, excess: Self.excess($0.cost, over: exact))
    }
    let own = summary.ladders.first.map { summary.demand.cost($0.steps) }
    excess = own.map { Self.excess($0, over: exact) } ?? 0
    others = Ladder.compared.filter { $0 != summary.ladders.first?.ladder }
    chosen = candidates.prefix(wanted ?? Self.standard).last
  }

  private static func excess(_ cost: Double, over exact: Double) -> Double {
    exact > 0 ? max(0, cost / exact - 1) : 0
  }

  /// As ``Candidate/excess``, of any ladder.
  func excess(_ ladder: Ladder) -> Double {
    Self.excess(demand.cost(ladder.steps), over: demand.cost(.exact))
  }

  /// The line of the pipeline file that has the chosen ladder; nil without any.
  var line: String? {
    chosen.map { best in
      let list = "[\(best.rungs.map(String.init).joined(separator: ", "))]"
      return side == .longer
        ? "rounding: \(list)" : "rounding: {by: \(side.rawValue), steps: \(list)}"
    }
  }
}

/// Images whose boxes in the layout are longer than 4:1, because nothing bounds the free side of their slots.
struct LongBoxes: Sendable, Encodable {
  /// How many there are.
  private(set) var images = 0
  /// The longest box.
  private(set) var longest: Box?

  struct Box: Sendable, Encodable {
    let id: String
    let slot: String
    /// In points.
    let width: Int
    /// In points.
    let height: Int
  }

  /// - Parameter names: of the slots in which the image is used; nil for all.
  mutating func add(
    _ source: PlanSource, id: String, slots names: [String]?, _ settings: PlanSettings
  ) {
    var isLong = false
    for slot in settings.slots where names?.contains(slot.name) ?? true {
      guard let box = settings.longBox(of: source, in: slot) else { continue }
      isLong = true
      if box.longerSide > longest.map({ max($0.width, $0.height) }) ?? 0 {
        longest = Box(id: id, slot: slot.name, width: box.width, height: box.height)
      }
    }
    if isLong { images += 1 }
  }

  /// Of slots that bound no box: a sentence without its period; nil if there are none.
  static func warning(on settings: PlanSettings) -> String? {
    let open = settings.slots.filter(\.isUnbounded)
    guard let first = open.first else { return nil }
    let example = PlanSource(size: first.width == nil ? Size(900, 3) : Size(3, 900))
    guard let box = settings.longBox(of: example, in: first) else { return nil }
    let names = open.map { "\"\($0.name)\"" }.joined(separator: ", ")
    let verb = open.count == 1 ? "slot \(names) has" : "slots \(names) have"
    return
      "\(verb) a free side and no \"aspect\": an image of \(example.size.width) x \(example.size.height) pixels takes "
      + "\(box.width) x \(box.height) points in \"\(first.name)\"; bound it, such as aspect: [1:4, 4:1]"
  }
}
