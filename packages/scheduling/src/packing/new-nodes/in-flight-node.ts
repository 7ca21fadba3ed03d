import type { HostPort } from '../../failure.ts';
import { BitSet } from '../../model/interning/bit-set.ts';
import type { RequirementSet } from '../../model/requirements/requirement-set.ts';
import type { ResourceVector } from '../../model/resources/resource-table.ts';
import type { NodeTemplate } from './node-template.ts';
import type { QueuedPod } from '../queued-pod.ts';
import type { Stage } from '../../model/pods/constraints.ts';

/** A pod and what it had to give up. */
export interface Placed {
  readonly queued: QueuedPod;
  readonly stage: Stage;
}

/** No reservation at all. */
export const NONE_HELD: ReadonlySet<string> = new Set();

/** A node that a run has planned: what its pods request, and the instance types that it may still become. */
export class InFlightNode {
  readonly index: number;
  /** Stands for the hostname in topology, because the node has none yet. */
  readonly placeholder: string;
  readonly template: NodeTemplate;
  set: RequirementSet;
  /** Variants that can hold all its pods. */
  readonly variants: BitSet;
  /** Of its pods, without daemons. */
  readonly requests: ResourceVector;
  readonly pods: Placed[] = [];
  ports: readonly HostPort[] = [];
  held: ReadonlySet<string> = NONE_HELD;
  minValuesRelaxed = false;

  constructor(index: number, template: NodeTemplate, width: number) {
    this.index = index;
    this.placeholder = placeholderOf(index);
    this.template = template;
    this.set = template.set;
    this.variants = new BitSet();
    this.requests = new Float64Array(width);
  }
}

/** Counted per plan: upstream's counter runs on for the life of the process. */
export function placeholderOf(index: number): string {
  return `hostname-placeholder-${String(index + 1).padStart(4, '0')}`;
}
