internal import TesseraBytes
package import TesseraPlan

/// The first line that a fork server sends: it is ready, and these are the means of its workers.
package struct WorkerCapabilities: Sendable, Equatable, Codable {
  /// Identifies the messages of this build, by the digest of one of each with all its members. Coordinator and worker
  /// must have the same ones.
  package static let protocolVersion = String(
    SHA256.of(PackageResources.Messages_jsonl).prefix(16))

  package var protocolVersion: String
  package var libvips: String
  package var confinement: Confinement
  /// The formats of which no worker can make a file, because an encoder is missing.
  package var lacks: [OutputFormat]

  package init(
    protocolVersion: String = Self.protocolVersion, libvips: String, confinement: Confinement,
    lacks: [OutputFormat] = []
  ) {
    self.protocolVersion = protocolVersion
    self.libvips = libvips
    self.confinement = confinement
    self.lacks = lacks
  }
}

/// Which mechanisms of the kernel confine a worker.
package struct Confinement: Sendable, Equatable, Codable {
  /// The version of Landlock, which leaves a worker only the system's libraries and fonts; 0 if the
  /// kernel has none.
  package var landlock: Int
  /// Whether a system call filter denies it the network and new processes.
  package var hasSeccomp: Bool

  package init(landlock: Int, hasSeccomp: Bool) {
    self.landlock = landlock
    self.hasSeccomp = hasSeccomp
  }
}

extension Confinement {
  /// What a worker that an image has taken over could do, because the kernel does not prevent it: a
  /// clause without its full stop. Nil for a worker that is wholly confined.
  package var gap: String? {
    switch (landlock > 0, hasSeccomp) {
    case (true, true): nil
    case (false, true): "it could read this machine's files (no Landlock)"
    case (true, false): "it could use the network and start processes (no seccomp)"
    case (false, false):
      "it could read this machine's files, use the network and start processes (neither Landlock nor "
        + "seccomp)"
    }
  }
}
