import {
  isTrue,
  nanosToMilliseconds,
  type Node,
  parseDuration,
  READY,
  type ResourceType,
} from '@karpenter-ts/kubernetes';
import {
  type CloudProvider,
  InsufficientCapacityError,
  NodeClaimNotFoundError,
  NodeClassNotReadyError,
  type RepairPolicy,
} from '@karpenter-ts/cloudprovider';
import { isNotFound, MINUTE } from '@karpenter-ts/runtime';
import { type KWOKNodeClass, NODE_CLAIMS, type NodeClaim } from '@karpenter-ts/apis';
import type { InstanceType } from '@karpenter-ts/scheduling';
import type { Catalogue } from './catalogue/catalogue.ts';
import { isKwokNode, nodeFor, nodeNameOf, toNodeClaim } from './node.ts';
import { deleteNode } from './node-deletion.ts';
import type { KwokReader } from './reader.ts';
import { type RegistrationDeps, Registrations } from './registrations.ts';
import { KWOK_NODE_CLASSES } from './resource-types.ts';

/** What the provider stands on. */
export interface KwokDeps extends RegistrationDeps {
  readonly catalogue: Catalogue;
  readonly reader: KwokReader;
}

/** A Node whose kubelet reports not ready, or stops reporting, is replaced after ten minutes. */
const REPAIR_POLICIES: readonly RepairPolicy[] = [
  { conditionType: 'Ready', conditionStatus: 'False', toleration: 10 * MINUTE },
  { conditionType: 'Ready', conditionStatus: 'Unknown', toleration: 10 * MINUTE },
];

/**
 * A provider whose instances are Node objects without a host behind them; a KWOK controller or the embedded cluster
 * simulates their kubelets (spec 03 §17). The instance follows from the NodeClaim alone, so a second launch finds the
 * instance of the first, even after a restart. Deleting an instance also deletes its Node. An instance may not have a
 * Node yet.
 */
export class KwokProvider implements CloudProvider {
  readonly name = 'kwok';
  readonly nodeClasses: readonly ResourceType[] = [KWOK_NODE_CLASSES];
  readonly repairPolicies = REPAIR_POLICIES;
  readonly registrationHooks = [];
  readonly reservationIdLabel = undefined;
  readonly reservedCapacityLabels: ReadonlySet<string> = new Set();
  readonly profile: Catalogue['profile'];
  readonly #deps: KwokDeps;
  readonly #registrations: Registrations;

  constructor(deps: KwokDeps) {
    this.profile = deps.catalogue.profile;
    this.#deps = deps;
    this.#registrations = new Registrations(deps);
  }

  async create(nodeClaim: NodeClaim, signal: AbortSignal): Promise<NodeClaim> {
    const node = this.#translate(nodeClaim);
    const nodeClass = await this.#resolveNodeClass(nodeClaim, signal);
    this.#registrations.begin(node, registrationDelay(nodeClass));
    return toNodeClaim(node);
  }

  /**
   * Rejects with NodeClaimNotFoundError once the Node is deleted, because instances terminate at once. Like upstream, it
   * also deletes the NodeClaim unless that is being deleted already.
   */
  async delete(nodeClaim: NodeClaim, signal: AbortSignal): Promise<void> {
    const { name, deletionTimestamp } = nodeClaim.metadata;
    try {
      await this.#deleteNode(nodeClaim, signal);
      if (deletionTimestamp === undefined) await this.#deps.client.delete(NODE_CLAIMS, { name }, {}, signal);
    } catch (error) {
      throw wrap('deleting node', isNotFound(error) ? new NodeClaimNotFoundError(error) : error);
    }
    throw new NodeClaimNotFoundError(new Error('instance terminated'));
  }

  async get(providerId: string, signal: AbortSignal): Promise<NodeClaim> {
    const name = nodeNameOf(providerId);
    const context = 'finding node';
    const node = this.#registrations.find(name) ?? (await within(context, this.#deps.reader.findNode(name, signal)));
    if (node === undefined) throw wrap(context, new NodeClaimNotFoundError(new Error(`Node "${name}" not found`)));
    if (node.metadata.deletionTimestamp) throw new NodeClaimNotFoundError(new Error('nodeclaim not found'));
    return toNodeClaim(node);
  }

  /**
   * Includes Nodes that are being deleted, without a deletion timestamp: upstream's garbage collection relies on it.
   */
  async list(signal: AbortSignal): Promise<readonly NodeClaim[]> {
    const nodes = (await within('listing nodes', this.#deps.reader.listNodes(signal))).filter(isKwokNode);
    const names = new Set(nodes.map(({ metadata }) => metadata.name));
    const notYetCreated = this.#registrations.list().filter(({ metadata }) => !names.has(metadata.name));
    return [...nodes, ...notYetCreated].map(toNodeClaim);
  }

  async instanceTypes(): Promise<readonly InstanceType[]> {
    return this.#deps.catalogue.instanceTypes;
  }

  async findDrift(): Promise<undefined> {
    return undefined;
  }

  /**
   * Launches again what a stop of the process kept from registering. Returns false if upstream launched the
   * instance, which it selects at random.
   */
  async resume(nodeClaim: NodeClaim, signal: AbortSignal): Promise<boolean> {
    if (this.#translate(nodeClaim).spec?.providerID !== nodeClaim.status?.providerID) return false;
    await this.create(nodeClaim, signal);
    return true;
  }

  #translate(nodeClaim: NodeClaim): Node {
    try {
      return nodeFor(nodeClaim, this.#deps.catalogue);
    } catch (error) {
      throw wrap('translating nodeclaim to node', error);
    }
  }

  async #resolveNodeClass({ spec }: NodeClaim, signal: AbortSignal): Promise<KWOKNodeClass> {
    const { name } = spec.nodeClassRef;
    const context = 'resolving node class from nodeclaim';
    const nodeClass = await within(context, this.#deps.reader.findNodeClass(name, signal));
    if (nodeClass === undefined) {
      const { kind, group } = KWOK_NODE_CLASSES;
      throw new InsufficientCapacityError(wrap(context, new Error(`${kind}.${group} "${name}" not found`)));
    }
    const ready = nodeClass.status?.conditions?.find(({ type }) => type === READY);
    if (ready?.status === 'False') throw new NodeClassNotReadyError(new Error(ready.message));
    return nodeClass;
  }

  /** Does nothing if the Node is being deleted already: whoever holds a finalizer on it will remove that. */
  async #deleteNode(nodeClaim: NodeClaim, signal: AbortSignal): Promise<void> {
    const name = nodeNameOf(nodeClaim.status?.providerID ?? '');
    if (name === '') return; // never launched
    await this.#registrations.cancel(name, signal);
    const node = await this.#deps.reader.findNode(name, signal);
    // The cache may not show the Node yet, unless the NodeClaim is registered.
    const isThere = node === undefined ? !isTrue(nodeClaim, 'Registered') : isStaying(node);
    if (isThere) await deleteNode(this.#deps.client, name, signal);
  }
}

function isStaying(node: Node): boolean {
  return node.metadata.deletionTimestamp === undefined && isKwokNode(node);
}

function registrationDelay({ spec }: KWOKNodeClass): number {
  const delay = spec?.nodeRegistrationDelay;
  return delay === undefined ? 0 : nanosToMilliseconds(parseDuration(delay));
}

/** Awaits a call and adds the context to its error. */
async function within<T>(context: string, call: Promise<T>): Promise<T> {
  try {
    return await call;
  } catch (error) {
    throw wrap(context, error);
  }
}

function wrap(context: string, error: unknown): Error {
  return new Error(`${context}, ${error instanceof Error ? error.message : String(error)}`, { cause: error });
}
