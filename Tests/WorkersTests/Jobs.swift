import Foundation
import TesseraPlan
import TesseraTestSupport
import TesseraWire
import TesseraWorkers

func settings(_ executable: String, seconds: Int = 20, count: Int = 1) -> WorkerSettings {
  WorkerSettings(
    executable: executable, count: count, memory: 2_000_000_000, time: .seconds(seconds))
}

func job(
  format: String, size: Size, frames: Int = 1, alpha: Bool = false, pixels: Int = 100_000_000,
  files: [PlannedFile] = []
) -> TranscodeJob {
  TranscodeJob(
    identifier: 1, format: format,
    expected: SourceFacts(size: size, hasAlpha: alpha, frames: frames),
    decode: DecodePlan(base: size, isAnimated: false, keepsProfile: false), failOn: .error,
    maximumPixels: pixels, maximumFrames: 100, files: files)
}

func file(_ width: Int, _ height: Int, _ format: OutputFormat = .webp) -> PlannedFile {
  PlannedFile(
    crop: nil, size: Size(width, height),
    encoding: Encoding(
      format: format, quality: 80, effort: 4, background: nil, isAnimated: false),
    fallback: nil)
}

func fixture(_ name: String, host: String = "example.com") -> JobSource {
  JobSource(path: Places.fixture(name).path, host: host)
}

/// A job for an impostor, which looks at none.
let anyJob = job(format: "jpeg", size: Size(1, 1))
let anySource = JobSource(path: "/dev/null", host: "example.com")

/// A program that poses as the worker: a fork server whose workers run a shell script with the channel
/// on descriptor 3. If the script names it, descriptor 5 is the job's memory for files.
func impostor(_ body: String, in folder: TemporaryFolder) throws -> String {
  let hello = WorkerHello(
    libvips: "0.0.0", confinement: Confinement(landlock: 0, hasSeccomp: false))
  try folder.write(String(decoding: hello.line, as: UTF8.self), to: "hello")
  try folder.write(body, to: "script")
  // A link, because a program that was just written may be "busy": another test's child process still
  // has it open for writing until its own exec.
  let path = folder.path("impostor")
  try FileManager.default.createSymbolicLink(
    atPath: path, withDestinationPath: Places.products.appending(path: "Impostor").path)
  return path
}
