import { type Extensions, isExtensionOn } from './extensions.ts';
import type { NodePool } from '../kinds/core/node-pool.ts';

/** The domain of our own annotations. */
export const EXTENSION_DOMAIN = 'karpenter-ts.dev/';

/** What a text says, or what is wrong with it. */
export type Reading<T> =
  | { readonly kind: 'value'; readonly value: T }
  | { readonly kind: 'problem'; readonly problem: string };

/** An annotation that an extension reads on NodePools. */
export interface ExtensionAnnotation<T> {
  readonly key: string;
  /** Id of its extension, such as `B1`. */
  readonly extension: string;
  readonly read: (text: string) => Reading<T>;
  /**
   * What is used instead of a bad value (spec 09 §0.2). A control that limits disruption then allows none: nobody knows
   * what its author wanted to protect. Any other one falls back to upstream's behaviour.
   */
  readonly instead: { readonly value: T; readonly text: string };
}

type Annotated = Pick<NodePool, 'metadata'>;

/** The value of an annotation; undefined if it is absent, or its extension is off. */
export function valueOf<T>(
  { key, extension, read, instead }: ExtensionAnnotation<T>,
  { metadata }: Annotated,
  extensions: Extensions,
): T | undefined {
  const text = metadata.annotations?.[key];
  if (text === undefined || !isExtensionOn(extensions, extension)) return undefined;
  const reading = read(text);
  return reading.kind === 'value' ? reading.value : instead.value;
}

/** What is wrong with an annotation, and what is used instead; undefined if nothing is. */
export function problemOf(
  { key, read, instead }: ExtensionAnnotation<unknown>,
  { metadata }: Annotated,
): string | undefined {
  const text = metadata.annotations?.[key];
  const reading = text === undefined ? undefined : read(text);
  return reading?.kind === 'problem' ? `${key}: ${reading.problem}; ${instead.text}` : undefined;
}

export function value<T>(read: T): Reading<T> {
  return { kind: 'value', value: read };
}

export function problem<T>(text: string): Reading<T> {
  return { kind: 'problem', problem: text };
}
