import { findNearMiss } from '../names/near-miss.ts';
import {
  CONSOLIDATE_AFTER,
  CONSOLIDATE_AFTER_IGNORE,
  CONSOLIDATION_METHODS,
  MIN_NODE_AGE,
} from './consolidation-annotations.ts';
import { BUDGET_TIME_ZONE, DISRUPTION_WINDOWS } from './disruption-windows.ts';
import { EXPIRATION_DEADLINE, EXPIRATION_JITTER, EXPIRATION_POLICY } from './expiration-annotations.ts';
import { EXTENSION_DOMAIN, type ExtensionAnnotation, problemOf } from './extension-annotation.ts';
import { BUILT_EXTENSIONS, type Extensions, isExtensionOn } from './extensions.ts';
import type { NodePool } from '../kinds/core/node-pool.ts';
import {
  CONSOLIDATION_MAX_REPLACEMENTS,
  MIN_SAVINGS,
  MIN_SAVINGS_DELETE,
  SPLIT_MIN_SAVINGS,
} from './replacement-annotations.ts';
import { NODE_FEE, PACKING_POLICY, readPackingAnnotations } from './packing-annotations.ts';

/** The annotations read on NodePools, in the order in which their problems are told. */
const ANNOTATIONS: readonly ExtensionAnnotation<unknown>[] = [
  CONSOLIDATION_MAX_REPLACEMENTS,
  SPLIT_MIN_SAVINGS,
  MIN_SAVINGS,
  MIN_SAVINGS_DELETE,
  BUDGET_TIME_ZONE,
  DISRUPTION_WINDOWS,
  EXPIRATION_POLICY,
  EXPIRATION_DEADLINE,
  EXPIRATION_JITTER,
  CONSOLIDATION_METHODS,
  CONSOLIDATE_AFTER,
  CONSOLIDATE_AFTER_IGNORE,
  MIN_NODE_AGE,
].filter(({ extension }) => BUILT_EXTENSIONS.has(extension));

/** Their keys, with the ids of their extensions. */
const READ: ReadonlyMap<string, string> = new Map([
  [PACKING_POLICY, 'A1'],
  [NODE_FEE, 'A4'],
  ...ANNOTATIONS.map(({ key, extension }) => [key, extension] as const),
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
  const ours = Object.entries(metadata.annotations ?? {}).filter(([key]) => key.startsWith(EXTENSION_DOMAIN));
  if (ours.length === 0) return undefined;
  const { on = [], off = [] } = Object.groupBy(ours, ([key]) => (isHonoured(key, extensions) ? 'on' : 'off'));
  const honoured = { metadata: { ...metadata, annotations: Object.fromEntries(on) } };
  const { problems } = readPackingAnnotations(honoured);
  const bad = ANNOTATIONS.map((annotation) => problemOf(annotation, honoured)).filter((text) => text !== undefined);
  const unknown = on.filter(([key]) => !READ.has(key)).map(([key]) => `${key}: ${whatItMayBe(key)}; it is ignored`);
  return {
    problems: [...problems, ...bad, ...unknown],
    switchedOff: off.map(([key]) => `${key}: switched off by --extensions`),
  };
}

/** An annotation that no extension reads is reported if any extension is on, because it may be a typing error. */
function isHonoured(key: string, extensions: Extensions): boolean {
  const id = READ.get(key);
  return id === undefined ? extensions === 'all' || extensions.size > 0 : isExtensionOn(extensions, id);
}

function whatItMayBe(key: string): string {
  const known = [...READ.keys()].map((one) => one.slice(EXTENSION_DOMAIN.length));
  const meant = findNearMiss(key.slice(EXTENSION_DOMAIN.length), known);
  return meant === undefined
    ? 'no extension reads it'
    : `no extension reads it, did you mean ${EXTENSION_DOMAIN}${meant}?`;
}
