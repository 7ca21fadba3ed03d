import { HOSTNAME_LABEL } from '@karpenter-ts/apis';
import type { Instances } from '../cluster/snapshot.ts';
import type { Violation } from './violation.ts';

/** Finds instances that two claims have, and claims that have two Nodes of the KWOK provider, told by their label. */
export function findDuplicates({ nodes, claims }: Instances, cloud: 'kwok' | 'fleet' | 'aws'): readonly Violation[] {
  const instances = repeated(claims.flatMap(({ status }) => status?.providerID ?? []));
  const hosts =
    cloud === 'kwok' ? repeated(nodes.flatMap(({ metadata }) => metadata.labels?.[HOSTNAME_LABEL] ?? [])) : [];
  return [
    ...instances.map((id): Violation => ({ invariant: 'double', detail: `two claims have instance ${id}` })),
    ...hosts.map((name): Violation => ({ invariant: 'double', detail: `claim ${name} has two Nodes` })),
  ];
}

function repeated(names: readonly string[]): readonly string[] {
  return [...new Set(names.filter((name, index) => names.indexOf(name) !== index))];
}
