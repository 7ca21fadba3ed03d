import { findNearMiss } from '../names/near-miss.ts';
import { type Extensions, isExtensionOn } from './extensions.ts';
import type { NodePool } from '../kinds/core/node-pool.ts';
import { NODE_FEE, PACKING_POLICY, readPackingAnnotations } from './packing-annotations.ts';

/** The domain of our own annotations. */
const DOMAIN = 'karpenter-ts.dev/';

/** The annotations read on NodePools, with the ids of their extensions. */
const READ: ReadonlyMap<string, string> = new Map([
  [PACKING_POLICY, 'A1'],
  [NODE_FEE, 'A4'],
]);

/** What is to be reported about a NodePool's annotations. Each text begins with the key. */
export interface AnnotationReview {
  /** As `<key>: <what is wrong>; <what is used instead>`. */
  readonly problems: readonly string[];
  /** Annotations of extensions that are off. They have no effect, valid or not. */
  readonly switchedOff: readonly string[];
}

/** Looks at all annotations that are for extensions; `undefined` if there are none (spec 09 §0.2). */
export function reviewAnnotations(
  { metadata }: Pick<NodePool, 'metadata'>,
  extensions: Extensions,
): AnnotationReview | undefined {
  const ours = Object.entries(metadata.annotations ?? {}).filter(([key]) => key.startsWith(DOMAIN));
  if (ours.length === 0) return undefined;
  const { on = [], off = [] } = Object.groupBy(ours, ([key]) => (isHonoured(key, extensions) ? 'on' : 'off'));
  const { problems } = readPackingAnnotations({ metadata: { ...metadata, annotations: Object.fromEntries(on) } });
  const unknown = on.filter(([key]) => !READ.has(key)).map(([key]) => `${key}: ${whatItMayBe(key)}; it is ignored`);
  return {
    problems: [...problems, ...unknown],
    switchedOff: off.map(([key]) => `${key}: switched off by --extensions`),
  };
}

/** An annotation that no extension reads is reported if any extension is on, because it may be a typing error. */
function isHonoured(key: string, extensions: Extensions): boolean {
  const id = READ.get(key);
  return id === undefined ? extensions === 'all' || extensions.size > 0 : isExtensionOn(extensions, id);
}

function whatItMayBe(key: string): string {
  const known = [...READ.keys()].map((one) => one.slice(DOMAIN.length));
  const meant = findNearMiss(key.slice(DOMAIN.length), known);
  return meant === undefined ? 'no extension reads it' : `no extension reads it, did you mean ${DOMAIN}${meant}?`;
}
