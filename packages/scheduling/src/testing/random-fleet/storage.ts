import { ZONE_LABEL } from '@karpenter-ts/apis';
import type { PersistentVolume, PersistentVolumeClaim, Volume } from '@karpenter-ts/kubernetes';
import type { Volumes } from '../../snapshot.ts';
import type { Random } from '@karpenter-ts/kubernetes/testing';
import type { FleetTraits } from './traits.ts';
import { DRIVER, STORAGE_CLASS, ZONES } from './values.ts';

/** What kind of volumes the pods of a workload have. */
export type VolumeKind = 'none' | 'bound' | 'late' | 'both' | 'shared' | 'local' | 'ephemeral' | 'legacy' | 'unknown';

const LEGACY_CLASS = 'legacy';

/** Ephemeral claims are a controller's to make, and the rest of the second list is what no scheduler would place. */
export function randomVolumeKind(random: Random, { independent, portable }: FleetTraits): VolumeKind {
  if (independent || random.chance(0.7)) return 'none';
  const kinds: readonly VolumeKind[] = ['bound', 'late', 'both', 'shared'];
  return random.pick(portable ? kinds : [...kinds, 'local', 'ephemeral', 'legacy', 'unknown']);
}

/** Whose volumes are wanted. */
export interface Claimant {
  readonly namespace: string;
  readonly app: string;
  readonly pod: string;
  /** Where it runs already. */
  readonly zone: string | undefined;
}

/** The storage behind the claims of a fleet's pods, which grows as they are made. */
export class RandomStorage {
  readonly #random: Random;
  readonly #claims = new Map<string, PersistentVolumeClaim>();
  readonly #volumes: PersistentVolume[] = [];

  constructor(random: Random) {
    this.#random = random;
  }

  /** Volumes for one pod. */
  volumesFor(kind: VolumeKind, { namespace, app, pod, zone }: Claimant): readonly Volume[] {
    const bound = (name: string) => this.#bound(namespace, name, zone);
    const isRunning = zone !== undefined;
    switch (kind) {
      case 'none':
        return [];
      case 'bound':
        return [bound(pod)];
      case 'late':
        return [isRunning ? bound(pod) : this.#late(namespace, pod, STORAGE_CLASS)];
      case 'legacy':
        return [isRunning ? bound(pod) : this.#late(namespace, pod, LEGACY_CLASS)];
      case 'both':
        return [bound(pod), isRunning ? bound(`${pod}-more`) : this.#late(namespace, `${pod}-more`, STORAGE_CLASS)];
      case 'shared':
        return [bound(`${app}-shared`)];
      case 'local':
        return [this.#local(namespace, pod)];
      case 'ephemeral':
        this.#late(namespace, `${pod}-scratch`, STORAGE_CLASS);
        return [{ name: 'scratch', ephemeral: {} }];
      case 'unknown':
        return isRunning ? [] : [{ name: pod, persistentVolumeClaim: { claimName: pod } }];
      default:
        return kind satisfies never;
    }
  }

  /** All objects made so far. */
  objects(): Volumes {
    const allowedTopologies = ZONES.slice(0, 2).map((zone) => ({
      matchLabelExpressions: [{ key: ZONE_LABEL, values: [zone] }],
    }));
    return {
      volumeClaims: [...this.#claims.values()],
      persistentVolumes: this.#volumes,
      storageClasses: [
        { metadata: { name: STORAGE_CLASS }, provisioner: DRIVER, allowedTopologies },
        { metadata: { name: LEGACY_CLASS }, provisioner: 'kubernetes.io/aws-ebs' },
      ],
    };
  }

  /** In one zone, or in either of two. */
  #bound(namespace: string, name: string, zone: string | undefined): Volume {
    const volumeName = `pv-${namespace}-${name}`;
    if (!this.#volumes.some(({ metadata }) => metadata.name === volumeName)) {
      const zones = zone === undefined ? this.#random.some(ZONES).slice(0, 2) : [zone];
      const nodeSelectorTerms = zones.map((one) => inZone(one));
      const spec = { csi: { driver: DRIVER }, nodeAffinity: { required: { nodeSelectorTerms } } };
      this.#volumes.push({ metadata: { name: volumeName }, spec });
    }
    return this.#claim(namespace, name, { volumeName });
  }

  /** On the disk of one host, which may go: its hostname does not count. */
  #local(namespace: string, name: string): Volume {
    const volumeName = `pv-${namespace}-${name}`;
    const onHost = { key: 'kubernetes.io/hostname', operator: 'In', values: ['long-gone'] };
    const term = { matchExpressions: [onHost, ...inZone(this.#random.pick(ZONES)).matchExpressions] };
    const spec = { local: {}, nodeAffinity: { required: { nodeSelectorTerms: [term] } } };
    this.#volumes.push({ metadata: { name: volumeName }, spec });
    return this.#claim(namespace, name, { volumeName });
  }

  #late(namespace: string, name: string, storageClassName: string): Volume {
    return this.#claim(namespace, name, { storageClassName });
  }

  #claim(namespace: string, name: string, spec: PersistentVolumeClaim['spec']): Volume {
    this.#claims.set(`${namespace}/${name}`, { metadata: { namespace, name }, spec });
    return { name, persistentVolumeClaim: { claimName: name } };
  }
}

function inZone(zone: string) {
  return { matchExpressions: [{ key: ZONE_LABEL, operator: 'In', values: [zone] }] };
}
