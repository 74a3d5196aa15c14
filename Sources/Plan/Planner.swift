internal import TesseraCatalog

extension Plan {
  /// Computes the fewest files that serve every slot at every scale.
  ///
  /// The longer side of a result is rounded up on the ladder; no result is enlarged; equal results
  /// are one file; a side over the limit of its format moves to another format. The order of slots
  /// and of scales does not change which files are made.
  ///
  /// - Parameter slots: the names of the slots that this source is for; nil means all.
  package init(
    for source: PlanSource, settings: PlanSettings, slots names: [String]? = nil
  ) {
    var made: [PlannedVariant] = []
    var slotPlans: [SlotPlan] = []
    for slot in settings.slots where names?.contains(slot.name) ?? true {
      let (shown, part, layout) = settings.place(of: source, in: slot)
      let requests = settings.scales.map { scale in
        let target = part.target(of: shown, scale: scale)
        let need = part.need(target, of: source, settings: settings)
        let variant = part.variant(serving: need, of: source, settings: settings)
        return Request(scale: scale, asked: target.size, variant: made.merge(variant))
      }
      slotPlans.append(
        SlotPlan(
          slot: slot, layout: layout, image: part.target(of: shown, scale: 1).size,
          isBounded: part.crop != nil && slot.mode != .clip, requests: requests))
    }
    let isHigh = Encoding(highDynamicRange: settings, of: source) != nil
    self.init(
      variants: made, slots: slotPlans, formatCount: settings.formats.count + (isHigh ? 1 : 0),
      lanes: settings.lanes, dynamicRange: settings.dynamicRange)
    // Last, because requests hold indices, and variants may be added until the last request.
    sortVariants()
  }

  /// Puts the variants in their order, and makes the requests point to their new positions.
  private mutating func sortVariants() {
    let unsorted = variants
    let order = unsorted.indices.sorted { unsorted[$0].precedes(unsorted[$1]) }
    var position = [Int](repeating: 0, count: order.count)
    for (new, old) in order.enumerated() { position[old] = new }
    variants = order.map { unsorted[$0] }
    for slot in slots.indices {
      for request in slots[slot].requests.indices {
        slots[slot].requests[request].variant = position[slots[slot].requests[request].variant]
      }
    }
  }
}

extension PlanSettings {
  /// The format of the preferred file of a source, unless it is too long for it.
  package func preferredFormat(of source: PlanSource) -> OutputFormat? {
    ResolvedFormat.all(of: 1, source: source, settings: self).first?.format
  }

  /// Calls `body` for each request of a source in some slots, with what a ladder has to serve and how often it is viewed:
  /// what a plan needs, without its files.
  ///
  /// - Parameters:
  ///   - names: as for a plan.
  ///   - weights: nil for those of the settings.
  package func forEachDemand(
    of source: PlanSource, slots names: [String]? = nil, _ weights: ViewWeights? = nil,
    _ body: (LadderDemand.Request, _ weight: Double) -> Void
  ) {
    let weights = weights ?? ViewWeights(self)
    for (place, slot) in slots.enumerated() where names?.contains(slot.name) ?? true {
      let (shown, part, _) = self.place(of: source, in: slot)
      for (index, scale) in scales.enumerated() {
        let weight = weights.values[place * scales.count + index]
        if weight == 0 { continue }
        let need = part.need(part.target(of: shown, scale: scale), of: source, settings: self)
        body(need.demand, weight)
      }
    }
  }
}

extension PlanSettings {
  /// The box of an image in points, if nothing bounds it in the slot and it is longer than 4:1; else nil.
  package func longBox(of source: PlanSource, in slot: Slot) -> Size? {
    guard slot.isUnbounded else { return nil }
    let box = place(of: source, in: slot).layout
    return box.longerSide > 4 * min(box.width, box.height) ? box : nil
  }

  /// The part of a source that files for a slot show, and the size of the slot's box in points.
  ///
  /// A service that does not crop makes images that cover the box, and the client crops them, as it does with the source itself:
  /// `shown` is the slot as such a service fills it.
  fileprivate func place(
    of source: PlanSource, in slot: Slot
  ) -> (shown: Slot, part: Frame, layout: Size) {
    let frame = Frame(of: source, in: slot, gravity: gravity)
    // At scale 1 a pixel is a point.
    let layout = slot.coveredBox ?? frame.target(of: slot, scale: 1).size
    guard frame.crop != nil, let service,
      !service.crops || !serves(source)
        || !service.cropsAnimations && source.isAnimated && keepsAnimation
    else { return (slot, frame, layout) }
    let covered = Slot(slot.name, width: layout.width, height: layout.height, mode: .fill)
    return (covered, Frame(of: source, in: covered, gravity: gravity), layout)
  }
}

extension [PlannedVariant] {
  /// Adds a variant unless an equal one is there. Returns the index of the variant.
  fileprivate mutating func merge(_ variant: PlannedVariant) -> Int {
    // A source has a dozen variants: a search is faster than hashing them.
    if let known = firstIndex(where: { $0.isSame(as: variant) }) {
      self[known].addReasons(of: variant)
      return known
    }
    append(variant)
    return count - 1
  }
}
