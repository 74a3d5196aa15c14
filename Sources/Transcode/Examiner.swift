internal import TesseraImageHeader
internal import TesseraPlaceholder
internal import TesseraPlan
internal import TesseraSystem
internal import TesseraText
package import TesseraWire

/// Tries what this machine's libraries can do, on pictures of 16 x 16 pixels: for `doctor`.
package struct Examiner {
  private let folder: String

  /// - Parameter folder: where files may be made; what is made is removed.
  package static func perform(in folder: String) -> [ExaminationCheck] {
    let examiner = Examiner(folder: folder)
    return ImageFormat.allCases.filter(\.isDecoded).map { examiner.read($0) }
      + OutputFormat.allCases.map { examiner.write($0) }
      + (1...8).map { examiner.turn($0) }
      + [examiner.convertProfile(), examiner.convertInks()]
  }

  /// The largest difference of a sample that a lossy format of good quality may make.
  private static let tolerance = 12

  private func check(
    _ kind: ExaminationCheck.Kind, _ subject: String, _ body: () throws -> Void
  ) -> ExaminationCheck {
    do {
      try body()
      return ExaminationCheck(kind, subject, problem: nil)
    } catch {
      let problem =
        switch error {
        case let error as VipsError: error.message
        case let error as Failure: error.message
        case let error as TranscodeFailure: error.message
        default: "\(error)"
        }
      return ExaminationCheck(kind, subject, problem: problem)
    }
  }

  private struct Failure: Error {
    var message: String
  }

  private func read(_ format: ImageFormat) -> ExaminationCheck {
    check(.read, format.rawValue) {
      guard let text = Samples.of(format), let sample = Base64.decode(text) else {
        throw Failure(message: "there is no sample of it")
      }
      try expectCorners(try load(sample, format))
    }
  }

  private func write(_ format: OutputFormat) -> ExaminationCheck {
    check(.write, format.rawValue) {
      let picture = try picture()
      let path = FileSystem.join(folder, "written.\(format.fileExtension)")
      defer { try? FileSystem.remove(path) }
      let file = PlannedFile(
        crop: nil, size: Size(picture.width, picture.height),
        encoding: Encoding(
          format: format, quality: format.hasQuality ? 95 : nil,
          effort: EncoderSetting.effort[format], background: nil, isAnimated: false),
        fallback: nil)
      try Encoder.write([picture], as: .init(path: path, file: file))
      guard let read = ImageFormat(rawValue: format.rawValue) else { return }
      try expectCorners(try load(try FileSystem.read(path, limit: 1 << 20), read))
    }
  }

  private func turn(_ orientation: Int) -> ExaminationCheck {
    check(.turn, "\(orientation)") {
      let turned = try picture().marked(orientation: orientation).turnedUpright()
      // Which stored corner each orientation shows top left, top right and bottom left (Exif 2.32, 4.6.4).
      let corners = [
        [0, 1, 2], [1, 0, 3], [3, 2, 1], [2, 3, 0], [0, 2, 1], [2, 0, 3], [3, 1, 2], [1, 3, 0],
      ][orientation - 1]
      for (place, corner) in zip([(4, 4), (12, 4), (4, 12)], corners) {
        try expect(Samples.corners[corner], try turned.colour(x: place.0, y: place.1))
      }
    }
  }

  private func convertProfile() -> ExaminationCheck {
    check(.colour, "profiles") {
      guard let sample = Base64.decode(Samples.displayP3) else { return }
      let picture = try load(sample, .png)
      guard picture.hasUsableProfile else { throw Failure(message: "the profile is not seen") }
      try expectCorners(try picture.transformedToSRGB(from: .embedded))
    }
  }

  private func convertInks() -> ExaminationCheck {
    check(.colour, "four inks") {
      let inked = try picture().inInks()
      let screen = try inked.transformedToSRGB(from: .inks)
      // Inks can't show the red and the blue; the yellow they can.
      try expect(Samples.corners[3], try screen.colour(x: 12, y: 12), within: 25)
    }
  }

  // MARK: Pictures

  private func picture() throws -> Picture {
    guard let text = Samples.of(.png), let sample = Base64.decode(text) else {
      throw Failure(message: "there is no sample")
    }
    return try load(sample, .png)
  }

  private func load(_ bytes: [UInt8], _ format: ImageFormat) throws -> Picture {
    let path = FileSystem.join(folder, "read.\(format.rawValue)")
    defer { try? FileSystem.remove(path) }
    do {
      let file = try File(path, .write)
      try file.write(bytes)
    }
    let first = try Picture.load(path, format: format)
    // libvips measures drawings in another unit than CSS; see Decoder.
    guard format == .svg else { return try first.inMemory() }
    return try Picture.load(path, format: format, .init(scale: 16 / Double(first.width))).inMemory()
  }

  private func expectCorners(_ picture: Picture) throws {
    guard picture.width == 16, picture.height == 16 else {
      throw Failure(message: "it came out with \(picture.width) x \(picture.height) pixels")
    }
    for (place, corner) in zip([(4, 4), (12, 4), (4, 12), (12, 12)], Samples.corners) {
      try expect(corner, try picture.colour(x: place.0, y: place.1))
    }
  }

  private func expect(_ expected: [Int], _ seen: [Int], within limit: Int = tolerance) throws {
    guard zip(expected, seen).allSatisfy({ abs($0 - $1) <= limit }) else {
      throw Failure(message: "a colour of \(expected) came out as \(seen)")
    }
  }
}

extension Picture {
  /// Red, green and blue of a pixel.
  fileprivate func colour(x: Int, y: Int) throws(VipsError) -> [Int] {
    let samples = try samples()
    let start = (y * width + x) * 4
    return samples[start..<start + 3].map(Int.init)
  }
}
