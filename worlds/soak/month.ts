import { ApiServer } from '@karpenter-ts/embedded';
import {
  type ApiObject,
  CUSTOM_RESOURCE_DEFINITIONS,
  type Node,
  NODES,
  type Pod,
  PODS,
  type Taint,
  timestamp,
} from '@karpenter-ts/kubernetes';
import {
  Client,
  createLogger,
  HOUR,
  inProcessTransport,
  isConflict,
  MINUTE,
  SECOND,
  unlessGone,
  VirtualClock,
} from '@karpenter-ts/runtime';
import { customResourceDefinition, NODE_CLAIMS, NODE_POOLS, type NodeClaim, RESOURCES } from '@karpenter-ts/apis';
import { seededRandom } from '@karpenter-ts/kubernetes/testing';
import { kwokCloud } from '../cloud/cloud.ts';
import { type Manifest, NAMESPACE, nodeClassManifest, pool } from '../cluster/manifests.ts';
import type { SeededBug } from '../faults/seeded-bug.ts';
import { runOperator } from '../operator.ts';

const CLAIMS = 500;
/** Each claim is updated once an hour. In each part of the hour an equal share of the claims is. */
const PART = 5 * MINUTE;
/** Every eighth update of a claim follows from a pod that is replaced on its node; the others are annotations. */
const POD_EVERY = 8;
/** How many claims are deleted each day. Others replace them. */
const DELETED_EACH_DAY = 10;
const POOL = 'default';
/**
 * Consolidation looks at every node again after each change, which with 500 nodes that change all the time would be
 * nine tenths of the work. So it is on for one hour of each day; drift and emptiness are looked for all the time.
 */
const AT_REST = {
  consolidationPolicy: 'WhenEmptyOrUnderutilized',
  consolidateAfter: '720h',
  budgets: [{ nodes: '10%' }],
} as const;
const CONSOLIDATING = { ...AT_REST, consolidateAfter: '0s' } as const;
const CONSOLIDATION_HOUR = 6;
/** How many pods that fit on no node come every six hours, and how long each lives. */
const UNSCHEDULABLE_PODS = 10;
const UNSCHEDULABLE_LIFETIME = 30 * SECOND;
/** How many subjects an event recorder keeps, as client-go's does. */
const REMEMBERED_EVENTS = 4096;
/** The ring of decisions is smaller than usual, so that it is full at the first count and has to drop what is old. */
const KEPT_DECISIONS = CLAIMS;
/** How often kubelets and the scheduler act, while there is something for them to do. */
const SIMULATION_PERIOD = 30 * SECOND;
/** How many pods are created at a time, so that claims differ in age and expire at different times. */
const PODS_AT_ONCE = 10;

const FITS_ALONE = { cpu: '1', memory: '64Mi' };
const FITS_NOWHERE = { cpu: '1k', memory: '64Mi' };

/**
 * A month of an ordinary cluster in virtual time: 500 NodeClaims with the default expiry, each updated about once an
 * hour. The operator and the API server are the real ones; kubelets and the scheduler are simulated here. There are no
 * heartbeats: they would be most of the work, and the operator keeps nothing of them.
 */
export class Month {
  readonly #clock = new VirtualClock();
  readonly #client: Client;
  readonly #end = new AbortController();
  readonly #running: Promise<void>;
  readonly #failures: string[] = [];
  #hour = 0;
  #pods = 0; // created so far

  private constructor(bug: SeededBug | undefined) {
    const clock = this.#clock;
    const random = seededRandom(1);
    const draw = (): number => random.below(2 ** 32) / 2 ** 32;
    const server = new ApiServer({ clock, random: draw });
    const transport = inProcessTransport((request, signal) => server.handle(request, signal), clock);
    this.#client = new Client({ transport, clock, userAgent: 'soak', takesValues: true });
    const write = (line: string): void => {
      if (line.includes('"Observed a panic"')) this.#failures.push(line);
    };
    this.#running = this.#setUp().then(() =>
      runOperator(
        {
          transport: bug?.transport?.(transport) ?? transport,
          clock,
          logger: createLogger({ level: 'error', clock, write, format: 'json' }),
          provider: kwokCloud((provider) => bug?.provider?.(provider) ?? provider),
          random: draw,
          repairs: true,
          elects: false,
          keptDecisions: KEPT_DECISIONS,
        },
        this.#end.signal,
      ),
    );
    this.#running.catch((error: unknown) => this.#failures.push(String(error)));
  }

  /** Starts a cluster and waits until all claims are initialized. */
  static async begin(bug?: SeededBug): Promise<Month> {
    const month = new Month(bug);
    await month.#simulateFor(SIMULATION_PERIOD * (CLAIMS / PODS_AT_ONCE) + 5 * MINUTE);
    // Caches with a fixed size are filled now, so that they are as full at the first count as at the last.
    for (let batch = 0; batch < 10; batch++) await month.#addUnschedulablePods(`first-${batch}`, REMEMBERED_EVENTS / 8);
    return month;
  }

  async end(): Promise<void> {
    this.#end.abort();
    await this.#clock.runUntil(this.#running);
  }

  /** Panics and failures of the operator. There should be none. */
  get failures(): readonly string[] {
    return this.#failures;
  }

  /** Advances the clock by so many hours. */
  async pass(hours: number): Promise<void> {
    for (let passed = 0; passed < hours; passed++) await this.#passHour();
  }

  async #setUp(): Promise<void> {
    for (const resource of RESOURCES.kwok) {
      const definition = customResourceDefinition(resource) as unknown as Definition;
      const isOfClaims = resource.plural === NODE_CLAIMS.plural;
      await this.#client.create(CUSTOM_RESOURCE_DEFINITIONS, isOfClaims ? withoutSchema(definition) : definition);
    }
    for (const { type, object } of [
      nodeClassManifest('kwok'),
      pool({ name: POOL, isTainted: false, disruption: AT_REST }, 'kwok'),
    ] satisfies Manifest[]) {
      await this.#client.create(type, object);
    }
  }

  async #passHour(): Promise<void> {
    const hour = this.#hour++;
    if (hour % 6 === 0) await this.#addUnschedulablePods(String(hour), UNSCHEDULABLE_PODS);
    if (hour % 24 === 3) await this.#deleteClaims(hour);
    if (hour % 24 === CONSOLIDATION_HOUR) await this.#setDisruption(CONSOLIDATING);
    if (hour % 24 === CONSOLIDATION_HOUR + 1) await this.#setDisruption(AT_REST);
    const claims = await this.#claims();
    const pods = new Map((await this.#appPods()).map((pod) => [pod.spec.nodeName, pod]));
    const part = Math.ceil(claims.length / (HOUR / PART));
    for (let from = 0; from < (HOUR / PART) * part; from += part) {
      for (const [index, claim] of claims.slice(from, from + part).entries()) {
        const pod = pods.get(claim.status?.nodeName ?? '');
        if (pod && hour % POD_EVERY === (from + index) % POD_EVERY) await unlessGone(this.#replace(pod));
        else await unlessGone(this.#write(claim, hour));
      }
      await this.#clock.advance(PART);
    }
  }

  async #setDisruption(disruption: object): Promise<void> {
    await this.#client.patch(NODE_POOLS, { name: POOL }, { type: 'merge', body: { spec: { disruption } } });
  }

  async #write({ metadata }: NodeClaim, hour: number): Promise<void> {
    const body = { metadata: { annotations: { 'worlds.test/hour': String(hour) } } };
    await this.#client.patch(NODE_CLAIMS, { name: metadata.name }, { type: 'merge', body });
  }

  /** Replaces a pod by another one on the same node. */
  async #replace({ metadata, spec: { nodeName } }: Pod): Promise<void> {
    await this.#client.delete(PODS, metadata);
    await this.#client.create(PODS, podOf(`app-${this.#pods++}`, FITS_ALONE, nodeName ? { nodeName } : {}));
  }

  /** Deletes claims, whose nodes are drained; for their pods others are bought. */
  async #deleteClaims(hour: number): Promise<void> {
    const claims = await this.#claims();
    for (let index = 0; index < DELETED_EACH_DAY; index++) {
      const claim = claims[(hour * 7 + index * 31) % claims.length];
      if (claim) await unlessGone(this.#client.delete(NODE_CLAIMS, { name: claim.metadata.name }));
    }
    await this.#simulateFor(10 * MINUTE);
  }

  async #addUnschedulablePods(batch: string, count: number): Promise<void> {
    const names = Array.from({ length: count }, (_, index) => `unschedulable-${batch}-${index}`);
    for (const name of names) await this.#createUnschedulable(name, FITS_NOWHERE);
    await this.#clock.advance(UNSCHEDULABLE_LIFETIME);
    for (const name of names) await this.#client.delete(PODS, { namespace: NAMESPACE, name });
  }

  /** Creates a pod with the status that the scheduler gives a pod without a place. */
  async #createUnschedulable(name: string, requests: object): Promise<void> {
    await this.#client.create(PODS, podOf(name, requests, {}));
    const conditions = [{ type: 'PodScheduled', status: 'False', reason: 'Unschedulable' }];
    const patch = { type: 'strategic', body: { status: { conditions } } } as const;
    await this.#client.patch(PODS, { namespace: NAMESPACE, name }, patch, { subresource: 'status' });
  }

  /** Simulates kubelets, the scheduler and the controllers of workloads for a while. */
  async #simulateFor(duration: number): Promise<void> {
    for (let passed = 0; passed < duration; passed += SIMULATION_PERIOD) {
      await this.#clock.advance(SIMULATION_PERIOD);
      await this.#simulate();
    }
  }

  async #simulate(): Promise<void> {
    const { items: nodes } = await this.#client.listAll<Node>(NODES);
    const pods = await this.#appPods();
    for (let missing = Math.min(CLAIMS - pods.length, PODS_AT_ONCE); missing > 0; missing--) {
      await this.#createUnschedulable(`app-${this.#pods++}`, FITS_ALONE);
    }
    for (const node of nodes) {
      if (!isReady(node)) await this.#markReady(node);
      else if (node.spec?.taints?.some(isNotReadyTaint)) await this.#untaint(node);
    }
    const taken = new Set(pods.map(({ spec }) => spec.nodeName));
    const free = nodes.filter((node) => isUsable(node) && !taken.has(node.metadata.name));
    for (const pod of pods) {
      if (pod.spec.nodeName) continue;
      const node = free.pop();
      if (node === undefined) return;
      const target = { apiVersion: 'v1', kind: 'Node', name: node.metadata.name };
      const binding = { apiVersion: 'v1', kind: 'Binding', metadata: pod.metadata, target } as ApiObject;
      await this.#client.create(PODS, binding, { subresource: 'binding' });
    }
  }

  async #markReady({ metadata }: Node): Promise<void> {
    const lastTransitionTime = timestamp(this.#clock.now());
    const conditions = [{ type: 'Ready', status: 'True', reason: 'KubeletReady', lastTransitionTime }];
    const patch = { type: 'strategic', body: { status: { conditions } } } as const;
    await unlessGone(this.#client.patch(NODES, metadata, patch, { subresource: 'status' }));
  }

  /** Removes the taint as the node lifecycle controller does. After a conflict the next round tries again. */
  async #untaint({ metadata, spec }: Node): Promise<void> {
    const { name, resourceVersion } = metadata;
    const taints = spec?.taints?.filter((taint) => !isNotReadyTaint(taint));
    const body = { metadata: { resourceVersion }, spec: { taints } };
    await this.#client.patch(NODES, { name }, { type: 'merge', body }).catch((error: unknown) => {
      if (!isConflict(error)) throw error;
    });
  }

  async #appPods(): Promise<readonly Pod[]> {
    return (await this.#client.listAll<Pod>(PODS, { labelSelector: 'app=app' })).items;
  }

  async #claims(): Promise<readonly NodeClaim[]> {
    return (await this.#client.listAll<NodeClaim>(NODE_CLAIMS)).items;
  }
}

interface Definition extends ApiObject {
  readonly spec: { readonly versions: readonly object[] };
}

/** Drops the schema of NodeClaims: validation would be a third of the work, and is not what is measured here. */
function withoutSchema({ spec, ...rest }: Definition): Definition {
  const anything = { type: 'object', 'x-kubernetes-preserve-unknown-fields': true };
  const openAPIV3Schema = { type: 'object', properties: { spec: anything, status: anything } };
  const versions = spec.versions.map((version) => ({ ...version, schema: { openAPIV3Schema } }));
  return { ...rest, spec: { ...spec, versions } };
}

function podOf(name: string, requests: object, place: { readonly nodeName?: string }): ApiObject {
  const labels = { app: name.slice(0, name.indexOf('-')) };
  const antiAffinity = {
    requiredDuringSchedulingIgnoredDuringExecution: [
      { topologyKey: 'kubernetes.io/hostname', labelSelector: { matchLabels: labels } },
    ],
  };
  const spec = {
    ...place,
    terminationGracePeriodSeconds: 0,
    containers: [{ name: 'main', image: 'none', resources: { requests } }],
    affinity: { podAntiAffinity: antiAffinity }, // one to a node
  };
  return { apiVersion: 'v1', kind: 'Pod', metadata: { name, namespace: NAMESPACE, labels }, spec } as ApiObject;
}

function isNotReadyTaint({ key }: Taint): boolean {
  return key === 'node.kubernetes.io/not-ready';
}

function isReady({ status }: Node): boolean {
  return status?.conditions?.some(({ type, status: is }) => type === 'Ready' && is === 'True') ?? false;
}

function isUsable(node: Node): boolean {
  return isReady(node) && (node.spec?.taints ?? []).length === 0 && node.metadata.deletionTimestamp === undefined;
}
