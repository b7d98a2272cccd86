const namespace = "http://s3.amazonaws.com/doc/2006-03-01/";

/** A document of elements that are XML already. */
export function toXml(root: string, elements: readonly string[]): string {
  const start = root === "Error" ? root : `${root} xmlns="${namespace}"`;
  return `<?xml version="1.0" encoding="UTF-8"?>\n<${start}>${elements.join("")}</${root}>`;
}

/** An element of text. */
export function element(name: string, text: string): string {
  const escaped = text
    .replaceAll("&", "&amp;")
    .replaceAll("<", "&lt;")
    .replaceAll(">", "&gt;")
    .replaceAll('"', "&quot;")
    .replaceAll("\r", "&#13;");
  return `<${name}>${escaped}</${name}>`;
}

const entities: Readonly<Record<string, string>> = {
  ...{ amp: "&", lt: "<", gt: ">", quot: '"', apos: "'" },
};

/** The texts of every element of that name. */
export function fromXml(name: string, document: string): string[] {
  const elements = document.matchAll(new RegExp(`<${name}>(.*?)</${name}>`, "gs"));
  return [...elements].map(([, text = ""]) =>
    text.replace(/&(?:#(\d+)|#x([\da-f]+)|(\w+));/gi, (entity, decimal, hex, word) => {
      if (decimal) return String.fromCodePoint(Number(decimal));
      if (hex) return String.fromCodePoint(Number.parseInt(hex, 16));
      return entities[word] ?? entity;
    }),
  );
}
