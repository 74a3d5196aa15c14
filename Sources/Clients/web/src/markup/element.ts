import { CatalogIndex } from "../layout/catalogIndex.js";
import { picture } from "./picture.js";

/**
 * Defines the element `<tessera-img image="p1" place="card">`, which is an image of the catalog in a slot: a `picture`
 * element with its files. More attributes: `sizes`, `alt`, and `priority` for the image that people see first. An element whose
 * image or slot is unknown is empty. Call it once, when the catalog has been read; elements that are in the page already are
 * drawn then.
 */
export function defineTesseraImage(index: CatalogIndex, name = "tessera-img"): void {
  // A server has no elements, so the class is made where it is defined.
  class TesseraImage extends HTMLElement {
    static readonly observedAttributes = ["image", "place", "sizes", "alt", "priority"];

    connectedCallback(): void {
      this.draw();
    }

    attributeChangedCallback(): void {
      if (this.isConnected) this.draw();
    }

    private draw(): void {
      const text = (attribute: string): string | undefined => this.getAttribute(attribute) ?? undefined;
      const entry = index.get(text("image") ?? "");
      const options = { sizes: text("sizes"), alt: text("alt"), priority: this.hasAttribute("priority") };
      // All texts are escaped.
      this.innerHTML = entry === undefined ? "" : picture(entry, text("place") ?? "", options);
    }
  }
  customElements.define(name, TesseraImage);
}
