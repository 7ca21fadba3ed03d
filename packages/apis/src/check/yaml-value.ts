// The plain value of a YAML document, as kubectl's library reads it, and the nodes it was read from.
import { type Alias, type Document, isAlias, isMap, isScalar, isSeq, type Node, type Pair, type YAMLMap } from 'yaml';
import { isJsonArray, isJsonObject, type Json, type JsonObject, LargeInteger } from '@karpenter-ts/kubernetes';

/** Why a document has no plain value, and where. */
export class YamlProblem extends Error {
  override readonly name = 'YamlProblem';
  /** The offset in the text; undefined if unknown. */
  readonly offset: number | undefined;

  constructor(message: string, node: unknown) {
    super(message);
    this.offset = (node as Node | null)?.range?.[0];
  }
}

/** A document that has been read. */
export interface YamlValue {
  readonly json: Json;
  /** The node that a key of a map, or an index of a list, leads to; undefined if there is none. */
  childOf(node: unknown, segment: string | number): Child | undefined;
}

interface Child {
  readonly value: unknown;
  readonly offset: number;
}

/** Throws a YamlProblem. Takes time linear in the size of the document, however many anchors and aliases it has. */
export function readYaml(document: Document.Parsed): YamlValue {
  const reader = new Reader();
  const json = reader.read(document.contents);
  const indexes = new WeakMap<YAMLMap, ReadonlyMap<string, Pair>>();
  return {
    json,
    childOf(node, segment) {
      const container = isAlias(node) ? reader.targets.get(node) : node;
      if (isSeq<Node>(container)) {
        const value = container.items[Number(segment)];
        return value?.range ? { value, offset: value.range[0] } : undefined;
      }
      if (!isMap(container)) return undefined;
      let index = indexes.get(container);
      if (index === undefined) indexes.set(container, (index = indexOf(container)));
      const pair = index.get(String(segment));
      return isScalar(pair?.key) && pair.key.range ? { value: pair.value, offset: pair.key.range[0] } : undefined;
    },
  };
}

/** The pairs of a map by their keys; there are no two with the same. */
function indexOf(map: YAMLMap): ReadonlyMap<string, Pair> {
  return new Map(map.items.map((pair) => [keyText(pair.key), pair] as const));
}

interface Anchored {
  readonly node: Node;
  /** Undefined while it is being read. */
  json?: Json;
  size: number;
}

class Reader {
  /** The node that each alias refers to. */
  readonly targets = new WeakMap<Alias, Node>();
  readonly #anchors = new Map<string, Anchored>(); // an anchor may be set again, and then means the last before an alias
  readonly #limit = new AliasLimit();

  read(node: unknown): Json {
    if (isAlias(node)) return this.#follow(node).json ?? null;
    const anchor = (node as Node | null)?.anchor;
    this.#limit.count(1);
    if (anchor === undefined) return this.#readContent(node);
    const anchored: Anchored = { node: node as Node, size: 0 };
    this.#anchors.set(anchor, anchored);
    const before = this.#limit.total;
    anchored.json = this.#readContent(node);
    anchored.size = this.#limit.total - before + 1;
    return anchored.json;
  }

  #follow(alias: Alias): Anchored {
    const anchored = this.#anchors.get(alias.source);
    if (anchored === undefined) throw new YamlProblem(`unknown anchor '${alias.source}' referenced`, alias);
    if (anchored.json === undefined) throw new YamlProblem(`anchor '${alias.source}' value contains itself`, alias);
    this.targets.set(alias, anchored.node);
    if (!this.#limit.countAlias(anchored.size)) throw new YamlProblem('document contains excessive aliasing', alias);
    return anchored;
  }

  #readContent(node: unknown): Json {
    if (isMap(node)) return this.#readMap(node);
    if (isSeq(node)) return node.items.map((item) => this.read(item));
    if (!isScalar(node)) return null;
    const { value } = node;
    if (typeof value === 'string') this.#limit.count(Math.floor(value.length / CHARACTERS_OF_A_NODE));
    return typeof value === 'bigint' ? LargeInteger.from(value) : ((value ?? null) as Json);
  }

  /** A map's own keys take precedence over merged ones, and earlier merges over later ones. */
  #readMap(map: YAMLMap): Json {
    const members = new Map<string, Json>();
    const sources: JsonObject[] = [];
    for (const { key, value } of map.items) {
      if (isMergeKey(key)) sources.push(...this.#readMergeSources(value));
      else members.set(this.#readKey(key), this.read(value));
    }
    for (const source of sources) {
      for (const [name, member] of Object.entries(source)) {
        if (!members.has(name)) members.set(name, member ?? null);
      }
    }
    return Object.fromEntries(members);
  }

  #readKey(key: unknown): string {
    const plain = this.read(key);
    if (plain === null || isJsonObject(plain) || isJsonArray(plain)) {
      throw new YamlProblem('unsupported map key', key);
    }
    return String(plain);
  }

  #readMergeSources(node: unknown): readonly JsonObject[] {
    const json = this.read(node);
    const sources = isJsonArray(json) ? json : [json];
    if (sources.every(isJsonObject)) return sources;
    throw new YamlProblem('map merge requires map or sequence of maps as the value', node);
  }
}

/** `<<` as it stands, without quotes: the library gives it a symbol for its value. */
export function isMergeKey(key: unknown): boolean {
  return isScalar(key) && typeof key.value === 'symbol';
}

/** A key as text; merge keys have one of their own. */
export function keyText(key: unknown): string {
  return isScalar(key) ? String(key.value) : '';
}

/** Long text counts as several nodes, because errors repeat it. */
const CHARACTERS_OF_A_NODE = 64;

/**
 * Limits how much of a document may come from aliases, by which a small file could fill the memory. The rule is that of
 * Go's YAML library: the larger the document, the smaller the part.
 */
class AliasLimit {
  total = 0;
  #aliased = 0;

  count(nodes: number): void {
    this.total += nodes;
  }

  /** Counts an alias; false if the limit is exceeded. */
  countAlias(nodes: number): boolean {
    this.total += nodes;
    this.#aliased += nodes;
    return this.#aliased <= 100 || this.total <= 1000 || this.#aliased / this.total <= this.#allowedShare();
  }

  #allowedShare(): number {
    const [few, many] = [400_000, 4_000_000];
    const growth = (Math.min(Math.max(this.total, few), many) - few) / (many - few);
    return 0.99 - growth * 0.89;
  }
}
