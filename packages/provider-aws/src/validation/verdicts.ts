import { createHash } from 'node:crypto';
import { EC2NODECLASS_HASH_ANNOTATIONS, type EC2NodeClass } from '@karpenter-ts/apis';
import { MINUTE, type SteadyClock } from '@karpenter-ts/runtime';
import { setKey } from '../batching/set-key.ts';
import type { Tags } from '../launch/launch-tags.ts';
import type { Refusal } from './refusals.ts';

/** How long EC2's word counts. */
const LIFETIME = 30 * MINUTE;

/** The most verdicts that are kept for a NodeClass: its status may go back and forth. */
const MOST_VERDICTS = 8;

/** What came of the dry runs; `undefined` if nothing is wrong. */
export type Verdict = Refusal | undefined;

interface Kept {
  readonly verdict: Verdict;
  readonly until: number; // elapsed milliseconds
}

/** What came of earlier dry runs, by NodeClass and by what they were made with. */
export class Verdicts {
  readonly #clock: SteadyClock;
  readonly #byNodeClass = new Map<string, Map<string, Kept>>();

  constructor(clock: SteadyClock) {
    this.#clock = clock;
  }

  /** The verdict on a NodeClass as it is now, if there is one. */
  find(nodeClass: EC2NodeClass, tags: Tags): { readonly verdict: Verdict } | undefined {
    const kept = this.#byNodeClass.get(nodeClass.metadata.name)?.get(keyOf(nodeClass, tags));
    return kept !== undefined && this.#clock.elapsed() < kept.until ? kept : undefined;
  }

  keep(nodeClass: EC2NodeClass, tags: Tags, verdict: Verdict): void {
    const now = this.#clock.elapsed();
    const before = this.#byNodeClass.get(nodeClass.metadata.name) ?? [];
    const valid = [...before].filter(([, { until }]) => now < until);
    const kept = new Map(valid.slice(-(MOST_VERDICTS - 1)));
    kept.set(keyOf(nodeClass, tags), { verdict, until: now + LIFETIME });
    this.#byNodeClass.set(nodeClass.metadata.name, kept);
  }

  /** The NodeClass of this name is no more. */
  forget(name: string): void {
    this.#byNodeClass.delete(name);
  }

  /** How many verdicts on a NodeClass are kept. */
  count(name: string): number {
    return this.#byNodeClass.get(name)?.size ?? 0;
  }
}

const { hash, version } = EC2NODECLASS_HASH_ANNOTATIONS;

/**
 * Everything that the requests are made from, and the annotations: a user who adds one has EC2 asked anew. Those that the
 * hash controller writes to every new NodeClass do not count, so that it is not validated twice (weakness 11).
 */
function keyOf({ metadata, spec, status }: EC2NodeClass, tags: Tags): string {
  const { subnets, securityGroups, amis, instanceProfile } = status ?? {};
  const { [hash]: _hash, [version]: _version, ...annotations } = metadata.annotations ?? {};
  const text = setKey({ subnets, securityGroups, amis, instanceProfile, spec, annotations, tags });
  return createHash('sha256').update(text).digest('base64');
}
