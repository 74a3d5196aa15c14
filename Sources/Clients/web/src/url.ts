/** Whether a URL begins with a scheme (RFC 3986, section 3.1). */
const hasScheme = (url: string): boolean => /^[a-z][a-z0-9+.-]*:/i.test(url);

/**
 * Resolves a reference against the URL of the catalog (RFC 3986, section 5.2; of dot segments only those with two dots at the
 * start are removed, which lead from a screen to the catalog's folder).
 */
export function resolve(base: string, source: string | undefined): string {
  if (source === undefined || hasScheme(base)) return base;
  const whole = source.replace(/[?#].*$/s, "");
  // "https://example.com", or "//example.com"; empty for a path.
  const root = /^([a-z][a-z0-9+.-]*:)?(\/\/[^/]*)?/i.exec(whole)?.[0] ?? "";
  // With the scheme of the catalog, if it has one.
  if (base.startsWith("//")) return hasScheme(whole) ? whole.slice(0, whole.indexOf("/")) + base : base;
  if (base.startsWith("/")) return root + base;
  const path = whole.slice(root.length);
  let folder = path.includes("/") ? path.slice(0, path.lastIndexOf("/") + 1) : root === "" ? "" : "/";
  let rest = base;
  while (rest.startsWith("../") && folder !== "") {
    rest = rest.slice(3);
    // Nothing is above the root.
    if (folder !== "/") folder = folder.slice(0, folder.lastIndexOf("/", folder.length - 2) + 1);
  }
  return root + folder + rest;
}
