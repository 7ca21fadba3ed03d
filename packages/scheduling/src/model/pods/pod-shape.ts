import type { HostPort } from '../../failure.ts';
import { hostPortsOf } from './host-ports.ts';
import type { VolumeObjects } from './volume-objects.ts';
import { findVolumeNeeds, type VolumeNeeds } from './volume-needs.ts';
import type { AmountReader, Amounts, ContainerStatus, Pod } from '@karpenter-ts/kubernetes';
import type { NodeNeeds } from '../requirements/requirement-set.ts';
import { podRequests } from '../resources/pod-requests.ts';
import { roundUpRequests } from '../resources/resource-table.ts';
import { type Constraints, ConstraintTable, type ConstraintTables, json } from './constraints.ts';

/** Everything about a pod that decides where it fits, but for its name, namespace and labels. */
export interface PodShape {
  readonly id: number;
  readonly constraints: Constraints;
  /** In whole units, as the kube-scheduler counts them. */
  readonly requests: Amounts;
  readonly ports: readonly HostPort[];
  readonly volumeNeeds: VolumeNeeds;
  /** Its volumes' alternatives in numbers; one that asks for nothing where there are none. */
  readonly volumeAlternatives: readonly NodeNeeds[];
  readonly usesDynamicResources: boolean;
}

export interface ShapeTables extends ConstraintTables {
  readonly amounts: AmountReader;
  readonly volumes: VolumeObjects;
}

/** The shapes of all pods read, each worked out once. */
export class PodShapes {
  readonly all: PodShape[] = [];
  readonly #tables: ShapeTables;
  readonly #constraints: ConstraintTable;
  readonly #containers = new Map<string, ContainerFacts>();
  readonly #byText = new Map<string, PodShape>();

  constructor(tables: ShapeTables) {
    this.#tables = tables;
    this.#constraints = new ConstraintTable(tables);
  }

  of(pod: Pod): PodShape {
    const constraints = this.#constraints.of(pod);
    const containers = this.#containersOf(pod);
    const volumes = pod.spec.volumes === undefined ? NO_VOLUMES : this.#volumeNeeds(pod);
    const text = `${constraints.id} ${containers.id} ${volumes === NO_VOLUMES ? '' : volumeText(volumes)}`;
    let shape = this.#byText.get(text);
    if (shape === undefined) {
      shape = this.#create(constraints, containers, volumes);
      this.#byText.set(text, shape);
    }
    return shape;
  }

  #containersOf(pod: Pod): ContainerFacts {
    const text = containerText(pod);
    let facts = this.#containers.get(text);
    if (facts === undefined) {
      facts = {
        id: this.#containers.size,
        requests: roundUpRequests(podRequests(pod, this.#tables.amounts)),
        ports: hostPortsOf(pod),
        usesDynamicResources: usesDynamicResources(pod),
      };
      this.#containers.set(text, facts);
    }
    return facts;
  }

  #volumeNeeds(pod: Pod): VolumeNeeds {
    const needs = findVolumeNeeds(pod, this.#tables.volumes, this.#tables.profile);
    return needs.kind === 'alternatives' && needs.alternatives.length === 0 ? NO_VOLUMES : needs;
  }

  #create(
    constraints: Constraints,
    { requests, ports, usesDynamicResources }: ContainerFacts,
    volumeNeeds: VolumeNeeds,
  ) {
    const { sets } = this.#tables;
    const alternatives = volumeNeeds.kind === 'alternatives' ? volumeNeeds.alternatives : [];
    const shape: PodShape = {
      id: this.all.length,
      constraints,
      requests,
      ports,
      volumeNeeds,
      volumeAlternatives:
        alternatives.length === 0
          ? [{ set: sets.empty, hostname: undefined }]
          : alternatives.map((requirements) => sets.from(requirements)),
      usesDynamicResources,
    };
    this.all.push(shape);
    return shape;
  }
}

/** What the containers of a pod ask for. */
interface ContainerFacts {
  readonly id: number;
  readonly requests: Amounts;
  readonly ports: readonly HostPort[];
  readonly usesDynamicResources: boolean;
}

const NO_VOLUMES: VolumeNeeds = { kind: 'alternatives', alternatives: [] };

/** Whether a pod asks for devices by ResourceClaims. */
export function usesDynamicResources({ spec }: Pod): boolean {
  if ((spec.resourceClaims?.length ?? 0) > 0) return true;
  const containers = [...(spec.containers ?? []), ...(spec.initContainers ?? [])];
  return containers.some(({ resources }) => (resources?.claims?.length ?? 0) > 0);
}

/** Equal for pods whose containers ask for the same. Called once per pod, so it reads no more than it must. */
function containerText(pod: Pod): string {
  const { containers, initContainers, overhead, resources: podLevel, resourceClaims } = pod.spec;
  let text = '';
  for (const { resources, ports } of containers ?? []) {
    if (resources?.requests !== undefined) text += JSON.stringify(resources.requests);
    if (ports !== undefined) text += JSON.stringify(ports);
    if (resources?.claims !== undefined) text += JSON.stringify(resources.claims);
    text += ';';
  }
  text += json(initContainers) + json(overhead) + json(podLevel) + json(resourceClaims);
  return pod.status === undefined ? text : text + resizeText(pod);
}

/** While containers are resized in place, what the kubelet holds for each counts too. */
function resizeText({ spec, status }: Pod): string {
  const held = [...(status?.containerStatuses ?? []), ...(status?.initContainerStatuses ?? [])].filter(isResized);
  if (held.length === 0) return '';
  const names = spec.containers?.map(({ name }) => name);
  const pending = status?.conditions?.filter(({ type }) => type === 'PodResizePending');
  return JSON.stringify([names, held.map((one) => [one.name, one.resources, one.allocatedResources]), pending]);
}

function isResized({ resources }: ContainerStatus): boolean {
  return resources !== undefined;
}

function volumeText(needs: VolumeNeeds): string {
  if (needs.kind === 'missing') return JSON.stringify(needs.missing);
  const terms = needs.alternatives.map((requirements) =>
    requirements.map(({ key, complement, values, lowest, highest }) => [
      key,
      complement,
      [...values],
      String(lowest),
      String(highest),
    ]),
  );
  return JSON.stringify(terms);
}
