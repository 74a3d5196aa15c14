/// The nearest integer, halves up, as JavaScript's `Math.round`: ThumbHash is defined by a program
/// in JavaScript, and its hashes must match.
func rounded(_ value: Double) -> Int { Int((value + 0.5).rounded(.down)) }
