import TesseraPlan
import TesseraTestSupport
import Testing

@testable import TesseraCatalog

@Suite struct CatalogLayoutTests {
  private static func image(
    _ width: Int?, _ height: Int?, _ variants: [(Int, Int)] = [], crop: String? = nil
  ) -> CatalogImage {
    CatalogImage(
      id: "a", url: "u", status: .ok, width: width, height: height,
      variants: variants.map { CatalogFixture.variant($0, $1, crop: crop) })
  }

  /// A box has the size that the planner computes for a slot of the same shape.
  @Test func boxesAreLaidOutAsSlotsAre() {
    var generator = SplitMix(seed: 5)
    for _ in 0..<20_000 {
      let width = Int.random(in: 1...6000, using: &generator)
      let height = Int.random(in: 1...6000, using: &generator)
      var across: Int? = Int.random(in: 1...900, using: &generator)
      var down: Int? = Int.random(in: 1...900, using: &generator)
      let mode = CatalogSlot.Mode.allCases.randomElement(using: &generator) ?? .fit
      if mode != .clip {
        switch Int.random(in: 0...2, using: &generator) {
        case 0: across = nil
        case 1: down = nil
        default: break
        }
      }
      let slot = Slot("s", width: across, height: down, mode: mode)
      let plan = Plan(
        for: PlanSource(
          size: Size(width, height), format: .jpeg, hasAlpha: false, isAnimated: false),
        settings: PlanSettings(slots: [slot]))
      let layout = plan.slots[0].layout
      let box = CatalogBox(
        width: across.map(Double.init), height: down.map(Double.init),
        mode: CatalogSlot.Mode(rawValue: mode.rawValue) ?? .fit)
      let size = Self.image(width, height).layout(in: box)?.box
      #expect(
        size
          == CatalogSize(width: min(layout.width, 100_000), height: min(layout.height, 100_000)),
        "\(width)x\(height) in \(box)")
    }
  }

  @Test func theSmallestFileWithEnoughPixelsIsChosen() {
    var image = Self.image(3000, 4000, [(64, 64), (96, 128), (192, 256), (512, 512), (768, 1024)])
    for place in [0, 3] { image.variants[place].crop = "89bf241d" }
    func size(_ box: CatalogBox, _ scale: Double) -> String? {
      image.variant(for: box, scale: scale)?.size
    }
    // The cropped files (64x64, 512x512) are for their slot only.
    #expect(image.wholeVariants.map(\.size) == ["96x128", "192x256", "768x1024"])
    #expect(size(CatalogBox(width: 90, height: nil), 1) == "96x128")
    #expect(size(CatalogBox(width: 90, height: nil), 2) == "192x256")
    #expect(size(CatalogBox(width: 96, height: nil), 2) == "192x256")
    #expect(size(CatalogBox(width: 97, height: nil), 2) == "768x1024")
    #expect(size(CatalogBox(width: 400, height: 400, mode: .fit), 1) == "768x1024")
    #expect(size(CatalogBox(width: 192, height: 192, mode: .fit), 1) == "192x256")
    // A crop of a portrait image shows its whole width, so the whole image has to cover the box.
    #expect(size(CatalogBox(width: 192, height: 192, mode: .clip), 1) == "192x256")
    #expect(size(CatalogBox(width: 193, height: 193, mode: .clip), 1) == "768x1024")
    #expect(size(CatalogBox(width: 2000, height: nil), 3) == "768x1024")
    #expect(size(CatalogBox(width: nil, height: nil), 1) == nil)
    #expect(Self.image(nil, nil).variant(for: CatalogBox(width: 9, height: 9), scale: 1) == nil)
    #expect(Self.image(9, 9).variant(for: CatalogBox(width: 9, height: 9), scale: 1) == nil)
    // 67 points at 1.5 are 100.5 pixels; the planner has rounded 100.05 to 100.
    let wide = Self.image(1000, 667, [(150, 100), (300, 200)])
    #expect(wide.variant(for: CatalogBox(width: 100, height: nil), scale: 1.5)?.size == "150x100")
    #expect(wide.variant(for: CatalogBox(width: 101, height: nil), scale: 1.5)?.size == "300x200")
    // If all files were cropped, one that covers the box is shown.
    let square = Self.image(3000, 4000, [(64, 64), (192, 192), (512, 512)], crop: "89bf241d")
    #expect(square.wholeVariants.isEmpty)
    #expect(
      square.variant(for: CatalogBox(width: 96, height: 96, mode: .clip), scale: 2)?.size
        == "192x192")
  }

  @Test func eachStateHasItsAppearance() throws {
    var image = Self.image(30, 40, [(30, 40)])
    let context = CatalogContext(CatalogFixture.catalog([]), accepting: ["image/webp"])
    func appearance(_ state: ImageState, _ file: ImageFile?) -> ImageAppearance {
      context.entry(image).appearance(in: state, file: file)
    }
    let file = context.file(image.variants[0].files[0], of: image.variants[0], image)
    #expect(appearance(.loading, file) == .empty)
    #expect(appearance(.loaded, file) == .image(file))
    #expect(appearance(.failed, file) == .failure(nil))
    image.placeholder = CatalogPlaceholder(color: "#010203", thumbhash: "AA")
    #expect(appearance(.loading, file) == .placeholder(.thumbhash("AA")))
    image.status = .pending
    #expect(appearance(.loading, nil) == .placeholder(.thumbhash("AA")))
    image.status = .failed
    image.error = .init(code: "timeout", message: "It took too long.", retryable: true)
    for state in ImageState.allCases {
      #expect(appearance(state, nil) == .failure(image.error))
    }
  }

  @Test func formatsAreInOrderOfPreference() {
    func file(_ place: Int, _ path: String, _ type: String) -> CatalogVariant.File {
      .init(format: place, path: path, type: type, bytes: 5)
    }
    func format(_ type: String) -> CatalogFormat { CatalogFormat(type: type) }
    var catalog = CatalogFixture.catalog([])
    catalog.formats = ["image/webp", "image/jpeg", "image/png", "image/jpeg"].map(format)
    #expect(catalog.types == ["image/webp", "image/jpeg", "image/png"])
    var variant = CatalogVariant(
      width: 30, height: 40, files: [file(0, "a", "image/webp"), file(1, "b", "image/jpeg")])
    #expect(variant.file(accepting: ["image/jpeg"])?.path == "b")
    #expect(variant.file(accepting: ["image/jpeg", "image/webp"])?.path == "a")
    #expect(variant.file(accepting: ["image/png"]) == nil)
    variant.files.append(file(2, "c", "image/png"))
    #expect(variant.file(accepting: ["image/png", "image/jpeg"])?.path == "b")
    #expect(variant.file(accepting: ["image/png"])?.path == "c")
  }
}

@Suite struct PrefetchTests {
  private static func file(_ name: String) -> ImageFile {
    ImageFile(url: name, reference: name, type: "image/webp", width: 1, height: 1, bytes: 1)
  }

  /// Whatever is on the screen, in flight and has failed: no more requests of each kind than allowed, none twice, nothing is both
  /// requested and cancelled, and what is cancelled is what no place needs.
  @Test func noStepBreaksTheRules() {
    var generator = SplitMix(seed: 9)
    func some(_ most: Int) -> [ImageFile] {
      (0..<Int.random(in: 0...most, using: &generator)).map { _ in
        Self.file("\(Int.random(in: 0..<20, using: &generator))")
      }
    }
    for _ in 0..<5_000 {
      let prefetch = Prefetch(
        requests: Int.random(in: 0...8, using: &generator),
        upcoming: Int.random(in: 0...6, using: &generator))
      let visible = [some(4), some(4)]
      let upcoming = some(8)
      var paths: Set<String> = []
      let flying = some(8).filter { paths.insert($0.reference).inserted }.map {
        Prefetch.Request($0, isVisible: Bool.random(using: &generator))
      }
      let loaded = Set(some(6).map(\.reference)).subtracting(paths)
      let failed = Set(some(6).map(\.reference))
      let step = prefetch.step(
        visible: visible, upcoming: upcoming, inFlight: flying, now: 10,
        failure: { failed.contains($0) ? .init(count: 2, time: 9) : nil },
        isLoaded: { loaded.contains($0) })
      let (start, cancel) = (step.start.map(\.file.reference), Set(step.cancel.map(\.reference)))
      let left = paths.subtracting(cancel)
      let urgent = Set(visible.joined().map(\.reference))
      let needed = urgent.union(upcoming.map(\.reference))
      #expect(Set(start).count == start.count && left.isDisjoint(with: start))
      #expect(cancel == paths.subtracting(needed))
      #expect(failed.isDisjoint(with: start) && loaded.isDisjoint(with: start))
      for (isVisible, most) in [(true, prefetch.requests), (false, prefetch.upcoming)] {
        let new = step.start.filter { $0.isVisible == isVisible }.count
        let old = left.filter { urgent.contains($0) == isVisible }.count
        #expect(new == 0 || new + old <= most)
      }
      let waits = needed.subtracting(loaded).subtracting(left).intersection(failed)
      #expect(step.wait == (waits.isEmpty ? nil : 1))
      for change in step.priorities {
        #expect(urgent.contains(change.file.reference) == change.isVisible)
      }
    }
  }
}
