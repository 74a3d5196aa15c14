import TesseraPipelineFile
import TesseraTestSupport
import Testing

@testable import tessera

/// `plan --picture`: the files of one image, slot by slot.
@Suite struct ImagePlanTests {
  private static func file(_ folder: TemporaryFolder, _ keys: String = "") throws -> PipelineFile {
    let path = try folder.write(
      """
      manifest: list.jsonl
      output: out
      slots: {thumb: {size: 100x100, mode: clip}, card: {size: 100x}}
      scales: [1, 2]
      fetch: {allow: ["files:\(folder.place)"], retries: 0}
      \(keys)
      """, to: "feed.yaml")
    return try PipelineFile.load(path, manifest: nil, output: nil)
  }

  @Test func oneImageHasAPlanOnEachLadder() async throws {
    let folder = try TemporaryFolder()
    let file = try Self.file(folder, "rounding: exact")
    let ladders = ["power-of-two", "100,300"].compactMap { Ladder(name: $0) }
    let size = ImagePlan.Subject.size(width: 1_000, height: 500)
    let own = try await ImagePlan.compare(size, as: file, ladders: [])
    #expect(own.map(\.price.name) == ["exact"] && own[0].price.asked == 4)
    let uses = own[0].uses.map { use in
      let (asked, made) = (use.requested, use.made)
      return "\(use.slot) \(use.mode) \(use.scale): \(asked.width)x\(asked.height) by \(use.file), "
        + "\(made.width)x\(made.height) \(use.formats)"
    }
    #expect(
      uses == [
        "card fit 1: 100x50 by 0, 100x50 [\"webp\"]",
        "card fit 2: 200x100 by 2, 200x100 [\"webp\"]",
        "thumb clip 1: 100x100 by 1, 100x100 [\"webp\"]",
        "thumb clip 2: 200x200 by 3, 200x200 [\"webp\"]",
      ])
    let compared = try await ImagePlan.compare(size, as: file, ladders: ladders)
    #expect(compared.map(\.price.name) == ["power-of-two", "100,300"])
    #expect(
      compared.map { $0.uses.map(\.made.width) } == [[128, 256, 128, 256], [100, 300, 100, 300]])
    #expect(compared.allSatisfy { $0.width == 1_000 && $0.height == 500 })
  }

  @Test func aPlanIsADocument() async throws {
    let folder = try TemporaryFolder()
    func plans(_ width: Int, _ height: Int, _ slots: String) async throws -> [ImagePlan] {
      let path = try folder.write(
        "{manifest: l, output: o, scales: [1], rounding: exact, \(slots)}", to: "feed.yaml")
      let file = try PipelineFile.load(path, manifest: nil, output: nil)
      return try await ImagePlan.compare(
        .size(width: width, height: height), as: file, ladders: [])
    }
    let square = "slots: {thumb: {size: 100x100, mode: clip}}"
    var all = try await plans(400, 200, square)
    all += try await plans(400, 200, square + ", variants: {gravity: attention}")
    all += try await plans(900, 20_000, "slots: {card: {size: 900x}}")
    // WebP has 16,383 pixels at most (RFC 9649), and JPEG takes its place.
    #expect(
      text(ImagePlan.json(all))
        == Self.document([
          (400, 200, "thumb", 100, 100, "\"x\": 100,\n          \"y\": 0", "\"webp\""),
          (400, 200, "thumb", 100, 100, "\"gravity\": \"attention\"", "\"webp\""),
          (
            900, 20_000, "card", 900, 20_000, nil,
            "\"jpeg\",\n            \"fallback\": [\n"
              + "              \"webp-size-limit\"\n            ]"
          ),
        ]))
  }

  private static func document(
    _ plans: [(Int, Int, String, Int, Int, crop: String?, file: String)]
  ) -> String {
    let objects = plans.map { plan in
      let crop = plan.crop.map {
        """
        "crop": {
                  \($0),
                  "width": 200,
                  "height": 200
                },

        """ + "        "
      }
      return """
          {
            "rounding": "exact",
            "width": \(plan.0),
            "height": \(plan.1),
            "variants": [
              {
                "width": \(plan.3),
                "height": \(plan.4),
                \(crop ?? "")"files": [
                  {
                    "format": \(plan.file)
                  }
                ]
              }
            ],
            "slots": {
              "\(plan.2)": [
                {
                  "scale": 1,
                  "width": \(plan.3),
                  "height": \(plan.4),
                  "variant": 0
                }
              ]
            }
          }
        """
    }
    let lines = objects.joined(separator: ",\n").split(separator: "\n").map { "  \($0)\n" }
    return "{\n  \"schema\": \"tessera-image-plan/1\",\n  \"plans\": [\n" + lines.joined()
      + "  ]\n}\n"
  }

  @Test func aSourceIsProbed() async throws {
    let folder = try TemporaryFolder()
    let file = try Self.file(folder)
    let image = try folder.add("orientation-6.jpg", as: "a.jpg")
    let plans = try await ImagePlan.compare(.source(image), as: file, ladders: [])
    #expect(plans.map(\.width) == [120] && plans.map(\.height) == [80])
    let notes = try folder.write("x", to: "notes.txt")
    for (source, message) in [
      (notes, "notes.txt: The file is text, not an image. (not-image)"),
      ("https://me:pw@/a?token=b", "The URL must begin with"),
    ] {
      do {
        _ = try await ImagePlan.compare(.source(source), as: file, ladders: [])
        Issue.record("\(source) is planned")
      } catch {
        #expect("\(error)".contains(message), "\(error)")
        #expect(!"\(error)".contains("pw") && !"\(error)".contains("token"))
      }
    }
  }
}
