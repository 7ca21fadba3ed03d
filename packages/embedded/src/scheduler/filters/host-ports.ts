import { type Filter, NOTHING_TO_CHECK, rejection } from './filter.ts';

const TAKEN = rejection("node(s) didn't have free ports for the requested pod ports", true);

/** A port of a node serves one pod. */
export const hostPorts: Filter = {
  name: 'NodePorts',
  scope: 'node',
  helpedBy: ['node added', 'pod removed'],
  prepare: (pod) =>
    pod.hostPorts.length === 0
      ? NOTHING_TO_CHECK
      : { kind: 'check', check: (node) => (node.hasPortConflict(pod.hostPorts) ? TAKEN : undefined) },
};
