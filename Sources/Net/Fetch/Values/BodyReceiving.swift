/// Receives bodies as they arrive. All calls for one body come from one thread, in order.
package protocol BodyReceiving: AnyObject, Sendable {
  /// Called after the headers of a successful response, before the first byte of its body.
  ///
  /// - Parameter validators: of the version that the body belongs to.
  func begin(_ extent: BodyExtent, _ validators: Validators?) -> BodyVerdict

  func receive(_ bytes: RawSpan) -> BodyVerdict
}

extension BodyReceiving {
  package func begin(_ extent: BodyExtent, _ validators: Validators?) -> BodyVerdict { .more }
}

/// Which bytes of a source the body of a response holds.
package enum BodyExtent: Sendable, Equatable {
  /// All of them. The length is nil if the server does not report it, or reports the length of
  /// compressed bytes.
  case whole(length: Int?)
  /// A part (206), and the length of the whole if the server reports it.
  case part(Range<Int>, of: Int?)
}

package enum BodyVerdict: Sendable {
  case more
  /// Nothing further is needed: the transfer is dropped, which is not an error.
  case enough
  /// The bytes could not be stored; the sentence becomes the error's message.
  case failed(String)
  /// The memory for more of this source is in use. A retry may succeed.
  case noRoom
}
