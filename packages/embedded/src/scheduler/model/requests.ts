import {
  type Container,
  milliUnitsOf,
  parseQuantity,
  type PodSpec,
  type ResourceList,
  unitsOf,
} from '@karpenter-ts/kubernetes';
import { CPU, MEMORY, type ResourceNames } from './resource-names.ts';

/** The resource requests of a pod, in thousandths of a core, bytes, or pieces. */
export interface Requests {
  /** The numbers of the requested resources, and the amount of each. */
  readonly ids: readonly number[];
  readonly amounts: readonly number[];
  /** The requests used for scoring: containers without requests count with a small default. */
  readonly scoredCpu: number;
  readonly scoredMemory: number;
}

/** The defaults for containers without requests (upstream: pkg/scheduler/util/pod_resources.go). */
const SILENT: ReadonlyMap<string, number> = new Map([
  ['cpu', 100],
  ['memory', 200 * 1024 * 1024],
]);
const NOTHING: ReadonlyMap<string, number> = new Map();

/** The effective requests of a pod: of its containers, unless the pod states its own, plus its overhead. */
export function requestsOf(spec: PodSpec, names: ResourceNames): Requests {
  const asked = [...total(spec, NOTHING)].filter(([, amount]) => amount > 0);
  const scored = total(spec, SILENT);
  return {
    ids: asked.map(([name]) => names.idOf(name)),
    amounts: asked.map(([, amount]) => amount),
    scoredCpu: scored.get(names.nameOf(CPU)) ?? 0,
    scoredMemory: scored.get(names.nameOf(MEMORY)) ?? 0,
  };
}

/** The amounts of a list, rounded up to whole units. */
export function amountsOf(list: ResourceList = {}): Map<string, number> {
  const amounts = new Map<string, number>();
  for (const [name, text] of Object.entries(list)) {
    const quantity = parseQuantity(text);
    amounts.set(name, Number(name === 'cpu' ? milliUnitsOf(quantity) : unitsOf(quantity)));
  }
  return amounts;
}

type Amounts = Map<string, number>;

function total(spec: PodSpec, missing: ReadonlyMap<string, number>): Amounts {
  const requests = ofContainers(spec, missing);
  for (const [name, amount] of amountsOf(spec.resources?.requests)) {
    if (name === 'cpu' || name === 'memory' || name.startsWith('hugepages-')) requests.set(name, amount);
  }
  add(requests, amountsOf(spec.overhead));
  return requests;
}

/**
 * Containers run together. Init containers run before them one by one, each beside the sidecars (restartable init
 * containers) before it. The largest sum of all these moments counts.
 */
function ofContainers(spec: PodSpec, missing: ReadonlyMap<string, number>): Amounts {
  const together: Amounts = new Map();
  for (const container of spec.containers ?? []) add(together, ofContainer(container, missing));
  const beside: Amounts = new Map();
  const most: Amounts = new Map();
  for (const container of spec.initContainers ?? []) {
    const moment = ofContainer(container, missing);
    if (container.restartPolicy === 'Always') {
      add(together, moment);
      add(beside, moment);
      raise(most, beside);
    } else {
      add(moment, beside);
      raise(most, moment);
    }
  }
  raise(together, most);
  return together;
}

function ofContainer(container: Container, missing: ReadonlyMap<string, number>): Amounts {
  const amounts = amountsOf(container.resources?.requests);
  for (const [name, amount] of missing) if (!amounts.has(name)) amounts.set(name, amount);
  return amounts;
}

function add(to: Amounts, more: Amounts): void {
  for (const [name, amount] of more) to.set(name, (to.get(name) ?? 0) + amount);
}

function raise(to: Amounts, least: Amounts): void {
  for (const [name, amount] of least) to.set(name, Math.max(to.get(name) ?? 0, amount));
}
