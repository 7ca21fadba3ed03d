// Fleet files: all that planning new nodes needs in one JSON document, so that two engines can plan the same.
import { podName } from '@karpenter-ts/scheduling';
import { FLEET } from './fleet-schema.ts';
import { type Fleet, type FleetContent, toFleet } from './fleet-snapshot.ts';
import { type DocumentKind, type FileProblem, findRepeated, type Mistake, readDocument } from './json-document.ts';
import { findBadQuantities } from './quantity-fields.ts';

/** A fleet, or what is wrong with its file in the order of the lines. */
export type ReadFleet = { readonly fleet: Fleet } | { readonly problems: readonly FileProblem[] };

const FLEET_FILE: DocumentKind<FleetContent> = { name: 'fleet', resource: FLEET, findMistakes };

/** Reads a fleet file. What an API server would refuse is refused in its words. */
export function readFleet(text: string): ReadFleet {
  const read = readDocument(text, FLEET_FILE);
  return 'problems' in read ? read : { fleet: toFleet(read.content) };
}

/** What no schema says. */
function findMistakes(content: FleetContent): readonly Mistake[] {
  return [...findRepetitions(content), ...findBadQuantities(content)];
}

/** A plan names types, pools, nodes and pods, so no two of a kind may have one name. */
function findRepetitions({ catalogue, nodePools, pods, existing = [] }: FleetContent): readonly Mistake[] {
  return [
    ...findRepeated(
      catalogue.map(({ name }) => name),
      (index) => ['catalogue', index, 'name'],
    ),
    ...findRepeated(
      nodePools.map(({ metadata }) => metadata.name),
      (index) => ['nodePools', index, 'metadata', 'name'],
    ),
    ...findRepeated(
      existing.map(({ name }) => name),
      (index) => ['existing', index, 'name'],
    ),
    ...findRepeated(pods.map(podName), (index) => ['pods', index, 'metadata', 'name']),
  ];
}
