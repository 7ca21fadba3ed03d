import { ZONE_LABEL } from '@karpenter-ts/apis';
import {
  type ApiObject,
  NODES,
  PERSISTENT_VOLUME_CLAIMS,
  PERSISTENT_VOLUMES,
  type PersistentVolume,
  type Pod,
  PODS,
} from '@karpenter-ts/kubernetes';
import { SECOND } from '@karpenter-ts/runtime';
import type { Snapshot } from '@karpenter-ts/scheduling';
import { bindingPatch, GATE, podManifest, volumeManifest } from './manifests.ts';
import type { FleetEnvironment } from './fleet-environment.ts';

/** A pod as the API server has it, of what is asked here. */
export interface LivePod extends ApiObject {
  readonly spec: Pod['spec'];
  readonly status?: {
    readonly conditions?: readonly { readonly type: string; readonly reason?: string; readonly message?: string }[];
  };
}

interface LiveClaim extends ApiObject {
  readonly spec: { readonly volumeName?: string; readonly storageClassName?: string };
}

/** On a claim: the node a volume is to be made for. */
const SELECTED_NODE = 'volume.kubernetes.io/selected-node';

/** The scheduler's decision on a pod: a node, or the message why there is none. */
export type Verdict = { readonly node: string } | { readonly message: string };

/** Hands pods to the scheduler of an environment, and creates their volumes as a CSI driver would. */
export class Submission {
  readonly #env: FleetEnvironment;
  readonly #snapshot: Snapshot;

  constructor(env: FleetEnvironment, snapshot: Snapshot) {
    this.#env = env;
    this.#snapshot = snapshot;
  }

  async submit(pod: Pod): Promise<void> {
    await this.#env.create(PODS, podManifest(pod));
  }

  /** Creates the pod with a nominated node. A scheduling gate holds it back until that is written. */
  async nominate(pod: Pod, node: string): Promise<void> {
    const { client } = this.#env.context;
    const { metadata } = await this.#env.create(PODS, podManifest(pod, [GATE]));
    const status = { type: 'merge', body: { status: { nominatedNodeName: node } } } as const;
    await client.patch(PODS, metadata, status, { subresource: 'status' });
    await client.patch(PODS, metadata, { type: 'merge', body: { spec: { schedulingGates: [] } } });
  }

  /** Waits until the scheduler has decided on the pod. */
  async verdictOn({ metadata }: Pod): Promise<Verdict> {
    const { client, until } = this.#env.context;
    return until(`pod ${metadata.name} is looked at`, async () => {
      const pod = await client.get<LivePod>(PODS, metadata);
      await this.#provisionFor(pod);
      return findVerdict(pod);
    });
  }

  /** Waits until all pods have a node, or nothing has changed for a while; returns the pending pods with the reason. */
  async untilDecided(pods: readonly Pod[]): Promise<ReadonlyMap<Pod, string>> {
    const { clock } = this.#env.context;
    let waiting = await this.#waiting(pods);
    for (let quietSince = clock.now(); waiting.size > 0 && clock.now() - quietSince < QUIET; ) {
      await clock.sleep(ASK_EVERY);
      const now = await this.#waiting([...waiting.keys()]);
      if (now.size < waiting.size) quietSince = clock.now();
      waiting = now;
    }
    return waiting;
  }

  async #waiting(pods: readonly Pod[]): Promise<ReadonlyMap<Pod, string>> {
    const waiting = new Map<Pod, string>();
    for (const pod of pods) {
      const live = await this.#env.context.client.get<LivePod>(PODS, pod.metadata);
      await this.#provisionFor(live);
      const verdict = findVerdict(live);
      if (verdict === undefined || 'message' in verdict) waiting.set(pod, verdict?.message ?? 'not looked at');
    }
    return waiting;
  }

  /** Makes the volumes a node was chosen for. */
  async #provisionFor({ metadata, spec }: LivePod): Promise<void> {
    const { client } = this.#env.context;
    if (spec.nodeName) return;
    for (const { persistentVolumeClaim: claimed } of spec.volumes ?? []) {
      if (claimed === undefined) continue;
      const { namespace } = metadata;
      const claim = await client.get<LiveClaim>(PERSISTENT_VOLUME_CLAIMS, { namespace, name: claimed.claimName });
      const selected = claim.metadata.annotations?.[SELECTED_NODE];
      if (selected === undefined || claim.spec.volumeName) continue;
      const node = await client.get(NODES, { name: selected });
      const volume = this.#volumeFor(claim, node.metadata.labels?.[ZONE_LABEL] ?? '');
      await this.#env.create(PERSISTENT_VOLUMES, volumeManifest(volume, claim));
      await client.patch(PERSISTENT_VOLUME_CLAIMS, claim.metadata, {
        type: 'merge',
        body: bindingPatch(volume.metadata.name),
      });
    }
  }

  #volumeFor({ metadata, spec }: LiveClaim, zone: string): PersistentVolume {
    const { storageClasses } = this.#snapshot.volumes;
    const driver = storageClasses.find((one) => one.metadata.name === spec.storageClassName)!.provisioner;
    const matchExpressions = [{ key: ZONE_LABEL, operator: 'In', values: [zone] }];
    return {
      metadata: { name: `made-for-${metadata.namespace}-${metadata.name}` },
      spec: { csi: { driver }, nodeAffinity: { required: { nodeSelectorTerms: [{ matchExpressions }] } } },
    };
  }
}

const ASK_EVERY = 0.25 * SECOND;
/** Twice the longest back-off of a scheduler, which may have been stalled. */
const QUIET = 20 * SECOND;

function findVerdict({ spec, status }: LivePod): Verdict | undefined {
  if (spec.nodeName) return { node: spec.nodeName };
  const refusal = status?.conditions?.find(({ type, reason }) => type === 'PodScheduled' && reason === 'Unschedulable');
  const { message = '' } = refusal ?? {};
  return refusal && !UNKNOWN.test(message) ? { message: message } : undefined;
}

/** The scheduler watches pods and volumes separately. Once it sees the volume it tries the pod again. */
const UNKNOWN = /bound to non-existent persistentvolume/;
