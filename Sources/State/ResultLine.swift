/// An image's position among the items of a run, its line of the catalog, its line in the manifest, its id, and its place in
/// its stretch.
package typealias ResultLine = (
  position: Int, line: String, manifestLine: Int, id: String, place: Int
)
