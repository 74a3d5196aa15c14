import Foundation
import TesseraPlan
import TesseraTestSupport
import TesseraWorkers

func settings(_ executable: String, seconds: Int = 20, count: Int = 1) -> WorkerSettings {
  WorkerSettings(
    executable: executable, count: count, memory: 2_000_000_000, time: .seconds(seconds))
}

func job(
  format: String, size: Size, frames: Int = 1, alpha: Bool = false, pixels: Int = 100_000_000,
  files: [PlannedFile] = [], placeholders: [Placeholders.Kind] = []
) -> TranscodeJob {
  TranscodeJob(
    format: format,
    expected: SourceFacts(size: size, hasAlpha: alpha, frames: frames),
    decode: DecodePlan(base: size, isAnimated: false, keepsProfile: false), failOn: .error,
    maximumPixels: pixels, maximumFrames: 100, files: files, placeholders: placeholders)
}

func file(_ width: Int, _ height: Int, _ format: OutputFormat = .webp) -> PlannedFile {
  PlannedFile(
    crop: nil, size: Size(width, height),
    encoding: Encoding(
      format: format, quality: 80, effort: 4, background: nil, isAnimated: false),
    fallback: nil)
}

func fixture(_ name: String, host: String = "example.com") -> JobSource {
  JobSource(.file(path: Places.fixture(name).path), host: host)
}

/// A job for an impostor, which looks at none.
let anyJob = job(format: "jpeg", size: Size(1, 1))
let anySource = JobSource(.file(path: "/dev/null"), host: "example.com")

func impostor(_ script: String, in folder: TemporaryFolder) throws -> String {
  let capabilities = WorkerCapabilities(
    libvips: "0.0.0", confinement: Confinement(landlock: 0, hasSeccomp: false))
  return try Impostor.install(
    script, capabilities: String(decoding: WireLine.line(capabilities).dropLast(), as: UTF8.self),
    as: "impostor",
    in: folder)
}
