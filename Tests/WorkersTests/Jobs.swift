import Foundation
import TesseraPlan
import TesseraTestSupport
import TesseraWire
import TesseraWorkers

func settings(_ executable: String, seconds: Int = 20, count: Int = 1) -> WorkerSettings {
  WorkerSettings(
    executable: executable, count: count, memory: 2_000_000_000, time: .seconds(seconds),
    sources: Places.root.path, results: FileManager.default.temporaryDirectory.path)
}

func job(
  _ source: String, format: String, size: Size, frames: Int = 1, alpha: Bool = false,
  pixels: Int = 100_000_000, outputs: [TranscodeJob.Output]
) -> TranscodeJob {
  TranscodeJob(
    identifier: 1, source: source, format: format,
    expected: SourceFacts(size: size, hasAlpha: alpha, frames: frames),
    decode: DecodePlan(base: size, isAnimated: false, keepsProfile: false), failOn: .error,
    maximumPixels: pixels,
    maximumFrames: 100, outputs: outputs)
}

func output(_ path: String, _ width: Int, _ height: Int, _ format: OutputFormat = .webp)
  -> TranscodeJob.Output
{
  .init(
    path: path,
    file: PlannedFile(
      crop: nil, size: Size(width, height),
      encoding: Encoding(
        format: format, quality: 80, effort: 4, background: nil, isAnimated: false),
      fallback: nil))
}

/// A program that poses as a worker: a shell script with the channel on descriptor 3.
func impostor(_ body: String, in folder: TemporaryFolder) throws -> String {
  let hello = #"printf '{"protocol":8,"libvips":"0.0.0","landlock":0,"seccomp":false}\n' >&3"#
  let path = try folder.write("#!/bin/sh\n\(hello)\n\(body)\n", to: "impostor")
  try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: path)
  return path
}
