/** A text as the value of an attribute in quotes. */
export function attribute(text: string): string {
  // A parser turns a plain CR into LF (HTML, section 13.2.3.5); other control characters are not allowed in any
  // document, not even as references (section 13.1.4).
  return text
    .replace(/[\x00-\x08\x0b\x0e-\x1f\x7f-\x9f]/g, "\ufffd")
    .replace(/[&"<>\r]/g, (character) => references[character] ?? "");
}

const references: { readonly [character: string]: string } = {
  "&": "&amp;", '"': "&quot;", "<": "&lt;", ">": "&gt;", "\r": "&#13;",
};

/**
 * A URL in `srcset`, which ends at a space, and neither begins nor ends with a comma (HTML, section 4.8.4.2.1). Commas
 * within it stay: a service may verify a signature of the URL.
 */
export const sourceSetURL = (url: string): string =>
  url.replace(/ /g, "%20").replace(/^,+|,+$/g, (commas) => "%2C".repeat(commas.length));
