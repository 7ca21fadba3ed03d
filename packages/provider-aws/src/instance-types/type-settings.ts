import { type EC2NodeClass, resolveAmiFamily } from '@karpenter-ts/apis';
import { findQuantity } from '@karpenter-ts/kubernetes';
import { parseFloatLiteral } from '@karpenter-ts/runtime';
import { type SubnetZone, subnetZonesOf } from './subnet-zones.ts';

type Spec = NonNullable<EC2NodeClass['spec']>;
type Status = NonNullable<EC2NodeClass['status']>;

/** Settings of the process that decide what a type looks like. */
export interface TypeOptions {
  readonly region: string;
  /** The part of memory that the hypervisor keeps, such as 0.075. */
  readonly vmMemoryOverheadPercent: number;
  readonly reservedEnis: number;
}

/** Everything besides EC2's own facts that decides labels, capacity and overhead of a type. */
export interface TypeSettings extends TypeOptions {
  /** The effective one. */
  readonly amiFamily: string;
  readonly kubelet: KubeletSettings;
  readonly blockDeviceMappings: NonNullable<Spec['blockDeviceMappings']>;
  readonly instanceStorePolicy: Spec['instanceStorePolicy'];
  /** Undefined is another thing than none: an empty list takes EFA away. */
  readonly networkInterfaces: Spec['networkInterfaces'];
  readonly zones: readonly Pick<SubnetZone, 'name' | 'id'>[];
  readonly capacityReservations: readonly CapacityReservationStatus[];
}

/** A reservation in the status of a NodeClass. */
export type CapacityReservationStatus = NonNullable<Status['capacityReservations']>[number];

/** What counts for planning of `spec.kubelet`. Soft thresholds warn only, and do not count. */
export type KubeletSettings = Pick<
  NonNullable<Spec['kubelet']>,
  'maxPods' | 'podsPerCore' | 'kubeReserved' | 'systemReserved' | 'evictionHard'
>;

/** A NodeClass has a value that its CRD admits and nobody can read. No type can be described for it. */
export class UnreadableSettingError extends Error {
  override readonly name = 'UnreadableSettingError';
  /** The part of the spec that has the value. */
  readonly part: 'kubelet' | 'blockDeviceMappings';

  constructor(part: UnreadableSettingError['part'], message: string) {
    super(message);
    this.part = part;
  }
}

/** What a NodeClass says about types. Throws UnreadableSettingError. */
export function readTypeSettings(nodeClass: EC2NodeClass, options: TypeOptions): TypeSettings {
  const spec: Partial<Spec> = nodeClass.spec ?? {};
  const { maxPods, podsPerCore, kubeReserved, systemReserved, evictionHard } = spec.kubelet ?? {};
  const settings: TypeSettings = {
    region: options.region,
    vmMemoryOverheadPercent: options.vmMemoryOverheadPercent,
    reservedEnis: options.reservedEnis,
    amiFamily: resolveAmiFamily(spec),
    kubelet: { maxPods, podsPerCore, kubeReserved, systemReserved, evictionHard },
    blockDeviceMappings: spec.blockDeviceMappings ?? [],
    instanceStorePolicy: spec.instanceStorePolicy,
    networkInterfaces: spec.networkInterfaces,
    zones: subnetZonesOf(nodeClass).map(({ name, id }) => ({ name, id })),
    capacityReservations: nodeClass.status?.capacityReservations ?? [],
  };
  requireReadable(settings);
  return settings;
}

/** Throws UnreadableSettingError. */
export function requireReadableSettings({ spec }: Pick<EC2NodeClass, 'spec'>): void {
  const { kubelet = {}, blockDeviceMappings = [] } = spec ?? {};
  requireReadable({ kubelet, blockDeviceMappings });
  requireThresholds('evictionSoft', kubelet.evictionSoft); // no type depends on it, but no kubelet starts with it
}

function requireReadable({
  kubelet,
  blockDeviceMappings,
}: Pick<TypeSettings, 'kubelet' | 'blockDeviceMappings'>): void {
  for (const field of ['kubeReserved', 'systemReserved'] as const) {
    for (const [key, value] of Object.entries(kubelet[field] ?? {})) {
      if (findQuantity(value) === undefined) throw unreadable('kubelet', `${field}["${key}"]`, value);
    }
  }
  requireThresholds('evictionHard', kubelet.evictionHard);
  for (const [index, { ebs }] of blockDeviceMappings.entries()) {
    const size = ebs?.volumeSize;
    if (size === undefined || findQuantity(size) !== undefined) continue;
    throw unreadable('blockDeviceMappings', `[${index}].ebs.volumeSize`, size);
  }
}

function requireThresholds(field: string, thresholds: Readonly<Record<string, string>> = {}): void {
  for (const [key, value] of Object.entries(thresholds)) {
    if (!isThreshold(value)) throw unreadable('kubelet', `${field}["${key}"]`, value);
  }
}

function isThreshold(value: string): boolean {
  if (!value.endsWith('%')) return findQuantity(value) !== undefined;
  const percentage = parseFloatLiteral(value.replaceAll('%', ''));
  return typeof percentage === 'number' && Number.isFinite(percentage);
}

function unreadable(part: UnreadableSettingError['part'], field: string, value: string): UnreadableSettingError {
  return new UnreadableSettingError(
    part,
    `parsing spec.${part}, ${field} is neither a quantity nor a percentage: "${value}"`,
  );
}
