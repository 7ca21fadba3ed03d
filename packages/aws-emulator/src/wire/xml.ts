import type { ServiceShapes, Type } from './shapes.ts';

/** Writes an answer as XML, as AWS' model describes it. What the model does not know is left out, as is undefined. */
export class XmlWriter {
  readonly #shapes: ServiceShapes['shapes'];

  constructor(shapes: ServiceShapes['shapes']) {
    this.#shapes = shapes;
  }

  /** The elements of the members, without one around them. */
  members(shapeName: string, value: object): string {
    const values = value as Readonly<Record<string, unknown>>;
    let xml = '';
    for (const [member, [, xmlName, type]] of Object.entries(this.#shapes[shapeName]!.members)) {
      const given = values[member];
      if (given !== undefined && given !== null) xml += this.#element(xmlName, type, given);
    }
    return xml;
  }

  #element(name: string, type: Type, value: unknown): string {
    return `<${name}>${this.#content(type, value)}</${name}>`;
  }

  #content(type: Type, value: unknown): string {
    if (typeof type !== 'string') {
      const [item, itemName] = type;
      return (value as readonly unknown[]).map((each) => this.#element(itemName, item, each)).join('');
    }
    if (this.#shapes[type] !== undefined) return this.members(type, value as object);
    return value instanceof Date ? value.toISOString() : escapeXml(String(value));
  }
}

const ESCAPES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };

export function escapeXml(text: string): string {
  return text.replace(/[&<>"]/g, (character) => ESCAPES[character]!);
}
