import TesseraCatalog
import Testing

@testable import TesseraPlan

@Suite struct ShapeBoundsTests {
  private static let bounds = ShapeBounds(Size(1, 2), Size(2, 1))

  private static func plan(
    _ width: Int, _ height: Int, _ slot: Slot, focus: CatalogFocus? = nil,
    _ change: (inout PlanSettings) -> Void = { _ in }
  ) -> Plan {
    var settings = PlanSettings(slots: [slot], scales: [1, 2])
    change(&settings)
    return Plan(
      for: PlanSource(size: Size(width, height), focus: focus), settings: settings)
  }

  /// The box, the image in it, and the crop of the first file.
  private static func outline(_ plan: Plan) -> String {
    let slot = plan.slots[0]
    let crop = plan.variants[0].crop.map { " of \($0)" } ?? ""
    let files = plan.variants.map { "\($0.size.width)x\($0.size.height)" }
    return "\(slot.layout.width)x\(slot.layout.height) \(slot.image.width)x\(slot.image.height) "
      + "\(slot.isBounded) \(files.joined(separator: ","))\(crop)"
  }

  /// Boxes longer than 4:1, where nothing bounds a free side.
  @Test func longBoxesAreFound() {
    func box(_ slot: Slot, _ width: Int, _ height: Int) -> Size? {
      PlanSettings(slots: [slot], scales: [1])
        .longBox(of: PlanSource(size: Size(width, height)), in: slot)
    }
    let (wide, tall) = (
      Slot("wide", width: 180, height: nil), Slot("tall", width: nil, height: 100)
    )
    #expect(box(wide, 3, 900) == Size(180, 54_000) && box(tall, 900, 3) == Size(30_000, 100))
    #expect(box(wide, 900, 3) == Size(180, 1) && box(tall, 3, 900) == Size(1, 100))
    #expect(box(wide, 100, 400) == nil && box(wide, 100, 401) == Size(180, 722))
    let others = [
      Slot("bounded", width: 180, height: nil, bounds: Self.bounds),
      Slot("fit", width: 180, height: 180), Slot("clip", width: 9, height: 9, mode: .clip),
    ]
    for slot in others {
      #expect(!slot.isUnbounded && box(slot, 3, 900) == nil, "\(slot.name)")
    }
  }

  @Test(arguments: [
    (1, 2000, "180x360 180x360 true 1x2 of 0,999,1x2"),
    (17, 5000, "180x360 180x360 true 17x34 of 0,2483,17x34"),
    (3000, 400, "180x90 180x90 true 256x128,512x256 of 1100,0,800x400"),
    // At the bounds and between them the whole is shown.
    (500, 1000, "180x360 180x360 false 256x512,500x1000"),
    (499, 1000, "180x360 180x360 true 256x512,499x998 of 0,1,499x998"),
    (1000, 500, "180x90 180x90 false 256x128,512x256"),
    (1002, 500, "180x90 180x90 true 256x128,512x256 of 1,0,1000x500"),
    (600, 800, "180x240 180x240 false 192x256,384x512"),
  ])
  func whatIsBeyondTheBoundsIsCropped(_ width: Int, _ height: Int, _ expected: String) {
    let slot = Slot("card", width: 180, height: nil, bounds: Self.bounds)
    #expect(Self.outline(Self.plan(width, height, slot)) == expected)
  }

  @Test func theFocusDecidesOnThePart() {
    let slot = Slot("card", width: nil, height: 100, bounds: Self.bounds)
    let plan = Self.plan(3000, 400, slot, focus: CatalogFocus(x: 0, y: 0))
    #expect(Self.outline(plan) == "200x100 200x100 true 256x128,512x256 of 0,0,800x400")
    let found = Self.plan(3000, 400, slot) { $0.gravity = .found(.attention) }
    #expect(found.variants[0].crop == Crop(Size(800, 400), .found(.attention)))
  }

  /// A box in which the image fits has a free side, too.
  @Test func aBoxIsBoundedAsWell() {
    let slot = Slot("card", width: 100, height: 100, bounds: Self.bounds)
    #expect(
      Self.outline(Self.plan(100, 5000, slot))
        == "50x100 50x100 true 64x128,100x200 of 0,2400,100x200")
  }

  /// What covers its box is larger than it.
  @Test func imagesThatCoverTheirBoxAreLarger() {
    let fill = Slot("hero", width: 414, height: 414, mode: .fill)
    #expect(Self.outline(Self.plan(2000, 1000, fill)).hasPrefix("414x414 828x414 false "))
    #expect(Self.outline(Self.plan(1000, 1000, fill)).hasPrefix("414x414 414x414 false "))
    let clip = Slot("thumb", width: 40, height: 20, mode: .clip)
    #expect(Self.outline(Self.plan(400, 400, clip)).hasPrefix("40x20 40x20 false "))
    let free = Slot("column", width: 180, height: nil, mode: .fill, bounds: Self.bounds)
    #expect(Self.outline(Self.plan(1, 2000, free)).hasPrefix("180x360 180x360 true "))
  }

  /// An image service that does not crop makes the whole image, which covers the box, and the client crops.
  @Test func withoutCropsTheWholeCoversTheBox() {
    func served(_ width: Int, _ height: Int, _ slot: Slot) -> String {
      let plan = Self.plan(width, height, slot) {
        $0.service = ServiceLimits()
        $0.service?.crops = false
        $0.service?.formats = [.webp]
      }
      return Self.outline(plan)
    }
    let card = Slot("card", width: 180, height: nil, bounds: Self.bounds)
    #expect(served(3000, 400, card) == "180x90 675x90 false 1024x137,2048x273")
    #expect(served(600, 800, card) == "180x240 180x240 false 192x256,384x512")
    let clip = Slot("thumb", width: 40, height: 20, mode: .clip)
    #expect(served(400, 400, clip) == "40x20 40x40 false 64x64,128x128")
  }

  /// A ladder that is fitted has the same requests as the plan.
  @Test func demandsAreThoseOfThePlan() {
    let slot = Slot("card", width: 180, height: nil, bounds: Self.bounds)
    let settings = PlanSettings(slots: [slot], scales: [1, 2])
    var lengths: [Int] = []
    settings.forEachDemand(of: PlanSource(size: Size(3000, 400))) { request, _ in
      lengths += [request.length, request.longest]
    }
    #expect(lengths == [180, 800, 360, 800])
  }
}
