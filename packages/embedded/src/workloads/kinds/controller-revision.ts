import type { ApiObject, ResourceType } from '@karpenter-ts/kubernetes';
import type { PodTemplate } from './pod.ts';

export const CONTROLLER_REVISIONS: ResourceType = {
  group: 'apps',
  version: 'v1',
  plural: 'controllerrevisions',
  kind: 'ControllerRevision',
  namespaced: true,
};

/** A state of a StatefulSet's or DaemonSet's template: what it was, and which of all states in order. */
export interface ControllerRevision extends ApiObject {
  /** A strategic merge patch that restores the state. */
  readonly data: { readonly spec: { readonly template: PodTemplate & { readonly $patch: 'replace' } } };
  readonly revision: number;
}
