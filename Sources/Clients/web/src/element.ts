import type { CatalogIndex } from "./catalog.js";
import type { CatalogEntry, Motion, Size } from "./entry.js";
import { pictureParts } from "./picture.js";
import { placeholderURL, rgb } from "./placeholder.js";

/**
 * Defines the element `<tessera-img image="p1" place="card">`: an image of the catalog in a slot. Without `place` it is in the box
 * that the page's layout gives it, and waits until that has a size. More attributes: `sizes`, `alt`, `priority`, and `retry`, what
 * a failed one says to a screen reader. An element whose image or slot is unknown is empty.
 *
 * Its attribute `state` is "loading", "loaded" or "failed"; `stylesheet` has rules for them. A child with `slot="loading"` or
 * `slot="failed"` is shown in that state instead of the default. A failed image is requested again after 1, 2, 4… at most 60 seconds
 * while it is visible, when it becomes visible, when the network returns, and by a click or the key Enter.
 *
 * Call it once, when the catalog has been opened; elements that are in the page already are drawn then.
 */
export function defineTesseraImage(index: CatalogIndex, name = "tessera-img"): void {
  // A server has no elements, so the class is made where it is defined.
  class TesseraImage extends HTMLElement {
    static readonly observedAttributes = ["image", "place", "sizes", "alt", "priority"];
    private failures = 0;
    private isVisible = false;
    private timer: ReturnType<typeof setTimeout> | undefined;
    private picture: HTMLElement | undefined;
    private readonly seen = new IntersectionObserver((entries) => {
      const wasVisible = this.isVisible;
      // What has changed several times has several entries.
      this.isVisible = entries[entries.length - 1]?.isIntersecting ?? false;
      if (this.isVisible && !wasVisible) this.retry();
    });
    /** The layout of an element without a slot. */
    private readonly resized = new ResizeObserver(() => this.isConnected && this.getAttribute("place") === null && this.draw());
    private readonly online = (): void => this.retry();

    constructor() {
      super();
      // These events do not bubble.
      for (const [type, state] of [["load", "loaded"], ["error", "failed"]] as const) {
        this.addEventListener(type, ({ target }) => { if (this.picture?.contains(target as Node)) this.end(state); }, true);
      }
      this.addEventListener("click", () => this.retry());
      this.addEventListener("keydown", ({ key }) => { if (key === "Enter") this.retry(); });
    }

    connectedCallback(): void {
      this.seen.observe(this);
      this.resized.observe(this);
      addEventListener("online", this.online);
      this.draw();
    }

    disconnectedCallback(): void {
      this.seen.disconnect();
      this.resized.disconnect();
      removeEventListener("online", this.online);
      clearTimeout(this.timer);
      // When it is moved, a failed one is requested again.
      this.isVisible = false;
    }

    attributeChangedCallback(): void {
      this.failures = 0;
      if (this.isConnected) this.draw();
    }

    /** Requests a failed image at once. */
    retry(): void {
      if (this.getAttribute("state") === "failed" && this.picture) this.draw(true);
    }

    private draw(isAgain = false): void {
      clearTimeout(this.timer);
      const entry = index.image(this.getAttribute("image") ?? "");
      const place = this.getAttribute("place");
      const box = entry?.box(place ?? { width: this.clientWidth, height: this.clientHeight, mode: "fill" });
      const picture = entry && box && (place === null ? this.inBox(entry, box) : this.inSlot(entry, place, box));
      // The same files: nothing is loaded again.
      if (!isAgain && picture && this.picture?.outerHTML === picture.outerHTML) return;
      this.picture?.remove();
      this.picture = picture;
      if (box === undefined || entry === undefined) this.removeAttribute("state");
      else this.show(picture ? "loading" : entry.image.status === "failed" ? "failed" : "loading");
      if (entry && box) this.style.background = background(entry);
      if (picture) this.prepend(picture);
    }

    private inSlot(entry: CatalogEntry, slot: string, box: Size): HTMLElement | undefined {
      const [sizes, alt] = ["sizes", "alt"].map((attribute) => this.getAttribute(attribute) ?? undefined);
      const parts = pictureParts(entry, slot, { sizes, alt, priority: this.hasAttribute("priority") });
      // Its place does not depend on what is in it.
      Object.assign(this.style, { width: sizes === undefined ? `${box.width}px` : "100%", aspectRatio: `${box.width}/${box.height}` });
      return parts && element("picture", {}, [...parts.sources.map((each) => element("source", each)), element("img", parts.img)]);
    }

    private inBox(entry: CatalogEntry, box: Size): HTMLElement | undefined {
      const motion: Motion = matchMedia("(prefers-reduced-motion: reduce)").matches ? "still" : "auto";
      const file = entry.file({ ...box, mode: "fill" }, devicePixelRatio, motion);
      const [x = 0.5, y = 0.5] = entry.image.focus ?? [];
      const image = file && element("img", { alt: this.getAttribute("alt") ?? entry.image.alt ?? "", class: "tessera", loading: "lazy", src: file.url });
      if (image) image.style.objectPosition = `${x * 100}% ${y * 100}%`;
      return image && element("picture", {}, [image]);
    }

    private end(state: "loaded" | "failed"): void {
      this.failures = state === "loaded" ? 0 : this.failures + 1;
      this.show(state);
      if (state === "loaded") this.style.background = "";
      const wait = Math.min(60, 2 ** (this.failures - 1));
      if (state === "failed") this.timer = setTimeout(() => this.isVisible && this.retry(), wait * 1000);
    }

    private show(state: "loading" | "loaded" | "failed"): void {
      this.setAttribute("state", state);
      const canRetry = state === "failed" && this.picture !== undefined;
      const label = this.getAttribute("retry") ?? "Load the image again";
      for (const [name, value] of [["role", "button"], ["tabindex", "0"], ["aria-label", label]] as const) {
        if (canRetry) this.setAttribute(name, value);
        else this.removeAttribute(name);
      }
    }
  }
  customElements.define(name, TesseraImage);
}

/** A blurred image until the file is there. Under one that is opaque is its colour: what pulsates has soft edges. */
function background({ image: { alpha, placeholder } }: CatalogEntry): string {
  const url = placeholder && placeholderURL(placeholder);
  const levels = alpha ? undefined : rgb(placeholder?.color);
  return url === undefined ? "" : `${levels ? `rgb(${levels.join(" ")}) ` : ""}url(${url}) 0 0/100% 100%`;
}

function element(name: string, attributes: object, children: HTMLElement[] = []): HTMLElement {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, String(value));
  made.append(...children);
  return made;
}
