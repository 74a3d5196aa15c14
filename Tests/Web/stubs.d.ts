// Just enough of the declarations of React to type-check the snippets in Pipelines/APPS.md without them.

declare namespace JSX {
  type Element = object;
  interface Attributes {
    key?: string | number;
    className?: string | undefined;
  }
  interface IntrinsicElements {
    picture: Attributes & { children?: unknown };
    source: Attributes & { type?: string; srcSet?: string; sizes?: string };
    img: Attributes & {
      src: string; srcSet?: string; sizes?: string; width?: number; height?: number; alt?: string;
      loading?: "lazy" | "eager"; decoding?: "async" | "sync" | "auto"; fetchpriority?: string; style?: object;
    };
  }
}

declare namespace React {
  function createElement(type: unknown, attributes: unknown, ...children: unknown[]): JSX.Element;
}
