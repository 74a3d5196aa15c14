import Foundation

// Programs that measure are built without it, in a build for release.
#if canImport(Testing)
  import Testing
#endif

/// Runs programs.
public enum Tool {
  public struct Result: Sendable {
    /// What was run. A failed expectation prints it with the rest.
    public var command: String
    public var status: Int32
    public var output: String
    public var errors: String
  }

  /// Runs a program to its end.
  public static func run(
    _ path: String, _ arguments: [String], input: String? = nil,
    environment: [String: String] = [:]
  ) async throws -> Result {
    let running = try start(path, arguments, input: input, environment: environment)
    let result = await running.end()
    if let module = result.errors.firstMatch(of: /ModuleNotFoundError: No module named '(\w+)'/)?.1
    {
      try skip("python3-\(module) is not installed")
    }
    return result
  }

  /// Ends the test as skipped, with its reason printed.
  private static func skip(_ reason: String) throws -> Never {
    print("not tested: \(reason)")
    #if canImport(Testing)
      try Test.cancel("\(reason)")
    #else
      throw POSIXError(.ENOENT)
    #endif
  }

  /// Runs `tessera`.
  public static func tessera(
    _ arguments: String..., input: String? = nil, environment: [String: String] = [:]
  ) async throws -> Result {
    try await run(Places.tessera, arguments, input: input, environment: environment)
  }

  /// Starts a program without waiting for it.
  public static func start(
    _ path: String, _ arguments: [String], input: String? = nil,
    environment: [String: String] = [:]
  ) throws -> Running {
    // `Tests/run --quick` leaves out what takes long: tests that start a process.
    if ProcessInfo.processInfo.environment["TESSERA_QUICK"] != nil {
      try skip("it starts \(path)")
    }
    if !FileManager.default.isExecutableFile(atPath: path), path.hasPrefix("/usr/") {
      try skip("\(path) is not installed")
    }
    note(path)
    let process = Process()
    process.executableURL = URL(filePath: path)
    process.arguments = arguments
    process.environment = ProcessInfo.processInfo.environment.merging(environment) { $1 }
    let output = Pipe()
    let errors = Pipe()
    process.standardOutput = output
    process.standardError = errors
    let pipe = Pipe()
    process.standardInput = input == nil ? FileHandle.nullDevice : pipe
    try process.run()
    if let input {
      // On a thread: input that exceeds a pipe's capacity blocks until the program reads it.
      let end = pipe.fileHandleForWriting
      Thread.detachNewThread {
        try? end.write(contentsOf: Data(input.utf8))
        try? end.close()
      }
    }
    return Running(process, output: output, errors: errors)
  }

  /// For `Tests/costs`, which counts the lines.
  private static func note(_ path: String) {
    guard let place = ProcessInfo.processInfo.environment["TESSERA_STARTS"],
      let file = fopen(place, "a")
    else { return }
    fputs("\(path)\n", file)
    fclose(file)
  }

  /// A running program.
  ///
  /// `@unchecked Sendable`: its properties are constant, and their methods used here are
  /// thread-safe.
  public final class Running: @unchecked Sendable {
    private let process: Process
    private let output: Pipe
    private let errors: Pipe

    fileprivate init(_ process: Process, output: Pipe, errors: Pipe) {
      self.process = process
      self.output = output
      self.errors = errors
    }

    public var pid: Int32 { process.processIdentifier }

    public var hasEnded: Bool { !process.isRunning }

    public func signal(_ number: Int32) { kill(pid, number) }

    /// The ids of the processes that this one has started.
    public var children: [Int32] { Tool.children(of: pid) }

    /// The paths of the files that the process has open; none when it has ended.
    public var openFiles: [String] {
      let path = "/proc/\(pid)/fd"
      let names = (try? FileManager.default.contentsOfDirectory(atPath: path)) ?? []
      return names.compactMap {
        try? FileManager.default.destinationOfSymbolicLink(atPath: "\(path)/\($0)")
      }
    }

    /// Waits for the program's end, for ten minutes at most: one that hangs fails its test and no other.
    public func end() async -> Result {
      let limit = Task {
        try await Task.sleep(for: .seconds(600))
        if process.isRunning { signal(SIGKILL) }
      }
      defer { limit.cancel() }
      return await withCheckedContinuation { continuation in
        Thread.detachNewThread { [self] in
          // Both pipes are drained concurrently, so that neither can fill up and block the program.
          nonisolated(unsafe) var text = Data()  // read only after group.wait()
          let group = DispatchGroup()
          DispatchQueue.global().async(group: group) {
            text = self.errors.fileHandleForReading.readAll()
          }
          let out = output.fileHandleForReading.readAll()
          group.wait()
          process.waitUntilExit()
          let status =
            process.terminationReason == .exit
            ? process.terminationStatus : 128 + process.terminationStatus
          continuation.resume(
            returning: Result(
              command: ([process.executableURL?.path ?? ""] + (process.arguments ?? [])).joined(
                separator: " "), status: status, output: String(decoding: out, as: UTF8.self),
              errors: String(decoding: text, as: UTF8.self)))
        }
      }
    }
  }
}

extension Tool {
  /// The processes that a process has started and that have not been waited for.
  public static func children(of pid: Int32) -> [Int32] {
    let path = "/proc/\(pid)/task"
    let threads = (try? FileManager.default.contentsOfDirectory(atPath: path)) ?? []
    return threads.flatMap { thread in
      (try? String(contentsOfFile: "\(path)/\(thread)/children", encoding: .utf8))?
        .split(separator: " ").compactMap { Int32($0) } ?? []
    }
  }

  /// The processor time of a process, in hundredths of a second; 0 if it has ended.
  public static func processorTicks(of pid: Int32) -> Int {
    guard let text = try? String(contentsOfFile: "/proc/\(pid)/stat", encoding: .utf8),
      let name = text.lastIndex(of: ")")
    else { return 0 }
    // After the name in brackets: the state is the third field, user and system time 14 and 15.
    let fields = text[name...].split(separator: " ")
    return fields.count > 13 ? (Int(fields[12]) ?? 0) + (Int(fields[13]) ?? 0) : 0
  }
}

extension FileHandle {
  /// Reads to the end of a pipe. Foundation's own functions end the process if a signal interrupts a read.
  public func readAll() -> Data {
    var all = Data()
    var buffer = [UInt8](repeating: 0, count: 1 << 16)
    while true {
      let count = Glibc.read(fileDescriptor, &buffer, buffer.count)
      if count < 0 && errno == EINTR { continue }
      guard count > 0 else { return all }
      all.append(contentsOf: buffer[..<count])
    }
  }
}
