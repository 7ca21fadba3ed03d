import type { Node } from '@karpenter-ts/kubernetes';
import { SECOND } from '../clock.ts';
import type { Timers } from '../state/timers.ts';
import type { BootingInstance } from './booting-instance.ts';
import { nodeOf } from './node.ts';
import { type BootInstructions, JoinError, type JoinFailure } from './user-data/boot-instructions.ts';
import { type ActualCluster, findJoinFailure } from './user-data/join-check.ts';
import { familyOfImage, readUserData } from './user-data/read-user-data.ts';

/** The API server as kubelets and the cloud controller manager use it. */
export interface NodeApi {
  /** Returns why the Node was refused for good, or undefined. Rejects when it should be tried again. */
  create(node: Node): Promise<string | undefined>;
  /** The instance has been shut down: from now on nothing reports for this Node. */
  silence(name: string): Promise<void>;
  /** Does nothing when the Node is gone. */
  delete(name: string): Promise<void>;
}

export interface BootDeps {
  readonly timers: Timers;
  readonly nodes: NodeApi;
  /** As the instances find it. */
  readonly cluster: ActualCluster;
  /** From running to the first word of the kubelet. */
  readonly bootDelay?: number;
}

/** How far an instance has come. */
export type BootState =
  | { readonly kind: 'booting' }
  | { readonly kind: 'joined'; readonly node: string }
  | { readonly kind: 'failed'; readonly failure: JoinFailure };

const BOOT_DELAY = 25 * SECOND; // an EKS image is seldom quicker
const RETRY = 5 * SECOND; // of a kubelet that cannot register
const LIFECYCLE_PERIOD = 5 * SECOND; // the cloud controller manager's look at instances that are gone

interface Boot {
  readonly instance: BootingInstance;
  state: BootState;
  isDown: boolean;
  cancel: () => void;
}

/** Boots instances: reads their user data, and has those that it lets join the cluster join it after a while. */
export class InstanceBoots {
  readonly #deps: BootDeps;
  readonly #boots = new Map<string, Boot>(); // until their instance is terminated

  constructor(deps: BootDeps) {
    this.#deps = deps;
  }

  /** How far an instance has come; undefined when it is not known, or terminated. */
  stateOf(instanceId: string): BootState | undefined {
    return this.#boots.get(instanceId)?.state;
  }

  /** The instance runs: its image boots. */
  start(instance: BootingInstance): void {
    const boot: Boot = { instance, state: { kind: 'booting' }, isDown: false, cancel: () => undefined };
    this.#boots.set(instance.id, boot);
    this.#later(boot, this.#deps.bootDelay ?? BOOT_DELAY);
  }

  /** The instance shuts down, and its kubelet with it. */
  shutDown(instanceId: string): void {
    const boot = this.#boots.get(instanceId);
    if (boot === undefined || boot.isDown) return;
    boot.isDown = true;
    boot.cancel();
    this.#silence(boot);
  }

  /** The instance is gone: the cloud controller manager deletes its Node. */
  terminate(instanceId: string): void {
    this.shutDown(instanceId);
    const boot = this.#boots.get(instanceId);
    this.#boots.delete(instanceId);
    if (boot !== undefined) this.#deleteNode(boot);
  }

  #later(boot: Boot, delay: number): void {
    boot.cancel = this.#deps.timers.after(delay, () => {
      this.#join(boot).catch(() => {
        if (!boot.isDown) this.#later(boot, RETRY);
      });
    });
  }

  async #join(boot: Boot): Promise<void> {
    const outcome = joinOf(boot.instance, this.#deps.cluster);
    if (outcome.kind === 'failed') {
      boot.state = outcome;
      return;
    }
    const node = nodeOf(boot.instance, outcome.instructions);
    const { name } = node.metadata;
    const refusal = await this.#deps.nodes.create(node);
    if (refusal !== undefined) boot.state = { kind: 'failed', failure: { kind: 'rejected', detail: refusal } };
    else boot.state = { kind: 'joined', node: name };
    // The instance may have gone while the request was under way.
    if (boot.isDown) this.#silence(boot);
    if (!this.#boots.has(boot.instance.id)) this.#deleteNode(boot);
  }

  #silence({ state }: Boot): void {
    if (state.kind === 'joined') this.#persist(state.node, (node) => this.#deps.nodes.silence(node));
  }

  #deleteNode({ state }: Boot): void {
    const { timers, nodes } = this.#deps;
    if (state.kind !== 'joined') return;
    timers.after(LIFECYCLE_PERIOD, () => this.#persist(state.node, (node) => nodes.delete(node)));
  }

  /** Until it has been done. */
  #persist(node: string, act: (node: string) => Promise<void>): void {
    act(node).catch(() => this.#deps.timers.after(RETRY, () => this.#persist(node, act)));
  }
}

/** What becomes of an instance: what its user data tells it, or why it never joins. */
export function joinOf(
  { imageName, userData = '' }: Pick<BootingInstance, 'imageName' | 'userData'>,
  cluster: ActualCluster,
):
  | { readonly kind: 'joins'; readonly instructions: BootInstructions }
  | { readonly kind: 'failed'; readonly failure: JoinFailure } {
  try {
    const instructions = readUserData(familyOfImage(imageName), Buffer.from(userData, 'base64').toString('utf8'));
    const failure = findJoinFailure(instructions, cluster);
    return failure === undefined ? { kind: 'joins', instructions } : { kind: 'failed', failure };
  } catch (error) {
    if (error instanceof JoinError) return { kind: 'failed', failure: error.failure };
    throw error;
  }
}
