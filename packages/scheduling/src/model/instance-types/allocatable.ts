import {
  addAmounts,
  AmountReader,
  type Amounts,
  formatQuantity,
  hasNegative,
  NO_AMOUNTS,
  type ResourceList,
  subtractAmounts,
} from '@karpenter-ts/kubernetes';
import type { InstanceType, Offering, Overhead } from '../../snapshot.ts';

/** An instance of a type as some of its offerings deliver it. Offerings differ in what they add to capacity and overhead. */
export interface Variant {
  readonly allocatable: Amounts;
  /** Available ones only. */
  readonly offerings: readonly Offering[];
}

/**
 * The type's variants, the one without overrides first. It is there even if no offering delivers it, and the only one
 * for most types (spec 02 §11).
 */
export function variantsOf(type: InstanceType, reader: AmountReader): readonly Variant[] {
  const groups = new Map<string, Offering[]>([['', []]]);
  for (const offering of type.offerings) {
    if (!offering.available) continue;
    const key = overrideKey(offering);
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [offering]);
    else group.push(offering);
  }
  return [...groups].map(([key, offerings]) => {
    const example = key === '' ? undefined : offerings[0];
    return { allocatable: allocatableOf(type, example, reader), offerings };
  });
}

function overrideKey({ capacityOverride, overheadOverride }: Offering): string {
  if (overheadOverride === undefined && Object.keys(capacityOverride ?? {}).length === 0) return '';
  return JSON.stringify([capacityOverride, overheadOverride]);
}

/** Capacity less overhead; huge pages are set aside from memory. Overrides are added, as upstream 1.14 does. */
export function allocatableOf(type: InstanceType, offering: Offering | undefined, reader: AmountReader): Amounts {
  const capacity = addAmounts(reader.read(type.capacity), reader.read(offering?.capacityOverride));
  const overhead = addAmounts(totalOf(type.overhead, reader), totalOf(offering?.overheadOverride, reader));
  const allocatable = new Map(subtractAmounts(capacity, overhead));
  for (const [name, { nanos }] of capacity) {
    if (!name.startsWith('hugepages-')) continue;
    const memory = allocatable.get('memory') ?? { nanos: 0n, format: 'BinarySI' };
    const rest = memory.nanos - nanos;
    allocatable.set('memory', { nanos: rest < 0n ? 0n : rest, format: memory.format });
  }
  return allocatable;
}

/** The same as Nodes and NodeClaims print it, for providers; `offering` is the one the instance is bought by. */
export function allocatableResources(type: InstanceType, offering?: Offering): ResourceList {
  const amounts = allocatableOf(type, offering, new AmountReader());
  return Object.fromEntries([...amounts].map(([name, quantity]) => [name, formatQuantity(quantity)]));
}

/**
 * Whether an instance of this type, bought by this offering, can hold these requests. A type that the system takes more of
 * than it has can hold nothing, whatever is requested.
 */
export function canHold(type: InstanceType, offering: Offering, requests: ResourceList): boolean {
  const reader = new AmountReader();
  const allocatable = allocatableOf(type, offering, reader);
  if (hasNegative(allocatable)) return false;
  for (const [name, { nanos }] of reader.read(requests)) {
    if (nanos > (allocatable.get(name)?.nanos ?? 0n)) return false;
  }
  return true;
}

function totalOf(overhead: Overhead | undefined, reader: AmountReader): Amounts {
  if (overhead === undefined) return NO_AMOUNTS;
  const { kubeReserved, systemReserved, evictionThreshold } = overhead;
  return addAmounts(reader.read(kubeReserved), reader.read(systemReserved), reader.read(evictionThreshold));
}
