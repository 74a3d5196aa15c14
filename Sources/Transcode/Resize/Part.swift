/// A part of an image, in its pixels.
struct Part: Equatable {
  var x, y, width, height: Int
}
