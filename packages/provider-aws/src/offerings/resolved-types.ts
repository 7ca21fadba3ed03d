import { setImmediate as nextTurn } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import type { InstanceTypeInfo } from '@aws-sdk/client-ec2';
import { AWS_LABELS, type RequirementSpec } from '@karpenter-ts/apis';
import { shared } from '@karpenter-ts/kubernetes';
import type { InstanceType, Offering } from '@karpenter-ts/scheduling';
import type { TypeDescriber, TypeDescription } from '../instance-types/describe-type.ts';
import type { DiscoveredMemory } from '../instance-types/discovered-memory.ts';
import type { DiscoveredTypes } from '../instance-types/discovered-types.ts';
import { isLastResort } from '../instance-types/last-resort.ts';
import { RequirementPool } from '../instance-types/requirement-pool.ts';
import { isCompatible } from './compatibility.ts';
import type { NodeClassSettings } from './node-class-settings.ts';
import {
  type OfferedType,
  type OfferingContext,
  OfferingRequirements,
  type OfferingResolver,
} from './offering-resolver.ts';
import { partitionsOf } from './partition-offerings.ts';

/** Resolving these takes a few milliseconds. */
const TYPES_IN_A_TURN = 50;

/** What types are resolved from. */
export interface TypeSources {
  readonly discovered: Pick<DiscoveredTypes, 'version' | 'types' | 'zones' | 'zonesOf'>;
  readonly memory: Pick<DiscoveredMemory, 'version' | 'find'>;
  /** Those of the provider first. */
  readonly resolvers: readonly OfferingResolver[];
}

/** A type as it was last resolved, with what it was resolved from. */
interface ResolvedType {
  readonly info: InstanceTypeInfo;
  readonly zones: ReadonlySet<string>;
  readonly memory: string | undefined;
  readonly offered: OfferedType;
  /** The version of the offerings. It may rise without a change. */
  readonly offeringsVersion: number;
  readonly instanceType: InstanceType;
}

/**
 * The types that NodeClasses with certain settings can have. When something has changed, only the types concerned become
 * new objects. Without a change, the list is the same array: the planner keeps an index for each array.
 */
export class ResolvedTypes {
  readonly #sources: TypeSources;
  readonly #settings: NodeClassSettings;
  readonly #requirements = new OfferingRequirements(new RequirementPool());
  readonly #groupRequirements: readonly RequirementSpec[];
  #resolved: ReadonlyMap<string, ResolvedType> = new Map();
  #list: readonly InstanceType[] = [];
  /** The zones of all offerings. */
  #zones: ReadonlySet<string> = new Set();
  #version = -1;
  #refreshing: Promise<void> | undefined;

  constructor(sources: TypeSources, settings: NodeClassSettings) {
    this.#sources = sources;
    this.#settings = settings;
    this.#groupRequirements = groupRequirements(settings);
  }

  /** All types, brought up to date. */
  list(describer: TypeDescriber): readonly InstanceType[] {
    const steps = this.#refresh(describer);
    while (!steps.next().done);
    return this.#list;
  }

  /** The same, with turns of the event loop in between if there is much to do. Callers at the same time share the work. */
  async listInTurns(describer: TypeDescriber, signal: AbortSignal): Promise<readonly InstanceType[]> {
    this.#refreshing ??= this.#refreshInTurns(describer).finally(() => {
      this.#refreshing = undefined;
    });
    await this.#refreshing;
    signal.throwIfAborted();
    return this.list(describer); // something may have changed meanwhile
  }

  /** One of the types of the last list. */
  find(name: string): InstanceType | undefined {
    return this.#resolved.get(name)?.instanceType;
  }

  async #refreshInTurns(describer: TypeDescriber): Promise<void> {
    for (const steps = this.#refresh(describer); !steps.next().done; ) await nextTurn();
  }

  /** Yields when it is time for others. What has become of the sources in between is noticed by the next refresh. */
  *#refresh(describer: TypeDescriber): Generator<void> {
    const version = this.#currentVersion();
    if (version === this.#version) return;
    const { types, zones } = this.#sources.discovered;
    const context = { settings: this.#settings, zones, requirements: this.#requirements };
    const how = { context, describer, hasSameZones: this.#zones === zones };
    const resolved = new Map<string, ResolvedType>();
    let hasChanged = this.#resolved.size !== types.size;
    for (const [name, info] of types) {
      const known = this.#resolved.get(name);
      const type = this.#resolve(info, known, how);
      resolved.set(name, type);
      hasChanged ||= type.instanceType !== known?.instanceType;
      if (resolved.size % TYPES_IN_A_TURN === 0) yield;
    }
    if (this.#version >= version) return; // somebody else was faster
    this.#version = version;
    this.#zones = zones;
    this.#resolved = resolved;
    if (hasChanged) this.#list = shared(Array.from(resolved.values(), ({ instanceType }) => instanceType));
  }

  #currentVersion(): number {
    const { discovered, memory, resolvers } = this.#sources;
    let version = discovered.version + memory.version;
    for (const resolver of resolvers) version += resolver.version;
    return version;
  }

  #resolve(info: InstanceTypeInfo, known: ResolvedType | undefined, how: Resolving): ResolvedType {
    const { discovered, memory: observed } = this.#sources;
    const name = info.InstanceType!;
    const zones = discovered.zonesOf(name);
    const memory = observed.find(name, this.#settings.images);
    const offeringsVersion = this.#offeringsVersion(name);
    const isDescribed = known?.info === info && known.zones === zones && known.memory === memory;
    if (isDescribed && how.hasSameZones && known.offeringsVersion === offeringsVersion) return known;
    const offered = isDescribed ? known.offered : this.#offeredType(info, zones);
    const offerings = this.#offeringsOf(offered, how.context);
    const description = isDescribed ? known.instanceType : this.#describe(info, { zones, memory }, how.describer);
    const made = { ...description, offerings };
    const isSame = isDescribed
      ? isSameOfferings(offerings, known.instanceType.offerings)
      : isDeepStrictEqual(made, known?.instanceType);
    return { info, zones, memory, offered, offeringsVersion, instanceType: isSame ? known!.instanceType : made };
  }

  #offeringsVersion(name: string): number {
    let version = 0;
    for (const resolver of this.#sources.resolvers) version += resolver.versionOf(name, this.#settings);
    return version;
  }

  #offeredType(info: InstanceTypeInfo, zones: ReadonlySet<string>): OfferedType {
    const { subnetZones } = this.#settings;
    return {
      name: info.InstanceType!,
      info,
      isCompatible: isCompatible(info, this.#settings),
      isUsableIn: (zone) => zones.has(zone) && subnetZones.has(zone),
    };
  }

  #offeringsOf(type: OfferedType, context: OfferingContext): readonly Offering[] {
    let offerings: readonly Offering[] = [];
    for (const resolver of this.#sources.resolvers) offerings = resolver.resolve(type, offerings, context);
    return offerings;
  }

  #describe(
    info: InstanceTypeInfo,
    { zones, memory }: Pick<ResolvedType, 'zones' | 'memory'>,
    describer: TypeDescriber,
  ): TypeDescription & Pick<InstanceType, 'lastResort'> {
    const described = describer.describe({ info, zones }, this.#settings.types);
    const group = this.#groupRequirements;
    const requirements = group.length === 0 ? described.requirements : [...described.requirements, ...group];
    const capacity = memory === undefined ? described.capacity : { ...described.capacity, memory };
    const lastResort = isLastResort({ requirements, capacity });
    return { name: described.name, requirements, capacity, overhead: described.overhead, lastResort };
  }
}

interface Resolving {
  readonly context: OfferingContext;
  /** Whether EC2 has the same zones as when the types were last resolved. */
  readonly hasSameZones: boolean;
  readonly describer: TypeDescriber;
}

/** Every node of the NodeClass is in its placement group (spec 07 §8.5). */
function groupRequirements(settings: NodeClassSettings): readonly RequirementSpec[] {
  const { placementGroup } = settings;
  if (placementGroup === undefined) return [];
  const partitions = partitionsOf(settings);
  const isIn = (key: string, values: readonly string[]): RequirementSpec => ({ key, operator: 'In', values });
  const group = isIn(AWS_LABELS.placementGroupId, [placementGroup.id]);
  return partitions.length === 0 ? [group] : [group, isIn(AWS_LABELS.placementGroupPartition, partitions)];
}

function isSameOfferings(a: readonly Offering[], b: readonly Offering[]): boolean {
  return a.length === b.length && a.every((offering, index) => isSameOffering(offering, b[index]!));
}

/** Mostly all parts are the same objects; only reservations, and what resolvers of others make, have to be looked into. */
function isSameOffering(a: Offering, b: Offering): boolean {
  if (a.pricePerHour !== b.pricePerHour || a.available !== b.available) return false;
  const hasSameParts =
    a.requirements === b.requirements &&
    a.reservation === b.reservation &&
    a.capacityOverride === b.capacityOverride &&
    a.overheadOverride === b.overheadOverride;
  return hasSameParts || isDeepStrictEqual(a, b);
}
