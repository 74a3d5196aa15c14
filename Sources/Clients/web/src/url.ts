/**
 * Resolves a reference against the URL of the catalog (RFC 3986, section 5.2; of dot segments only those with two dots at the
 * start are removed, which lead from a screen to the catalog's folder).
 */
export function resolve(reference: string, source: string | undefined): string {
  // With a scheme (section 3.1) it is whole.
  if (source === undefined || /^[a-z][\w+.-]*:/i.test(reference)) return reference;
  const [, scheme = "", host = "", path = ""] = /^([a-z][\w+.-]*:)?(\/\/[^/?#]*)?([^?#]*)/i.exec(source) ?? [];
  if (reference.startsWith("/")) return scheme + (reference.startsWith("//") ? "" : host) + reference;
  let folder = path.slice(0, path.lastIndexOf("/") + 1) || (host && "/");
  let rest = reference;
  for (; rest.startsWith("../") && folder; rest = rest.slice(3)) {
    // Nothing is above the root.
    if (folder !== "/") folder = folder.replace(/[^/]*\/$/, "");
  }
  return scheme + host + folder + rest;
}
