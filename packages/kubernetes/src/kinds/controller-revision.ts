import type { ApiObject } from '../objects/resource-type.ts';
import type { PodTemplate } from './pod.ts';

/** A state of a StatefulSet's or DaemonSet's template: what it was, and which of all states in order. */
export interface ControllerRevision extends ApiObject {
  /** A strategic merge patch that restores the state. */
  readonly data: { readonly spec: { readonly template: PodTemplate & { readonly $patch: 'replace' } } };
  readonly revision: number;
}
