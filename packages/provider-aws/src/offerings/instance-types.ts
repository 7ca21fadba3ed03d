import type { EC2NodeClass } from '@karpenter-ts/apis';
import type { InstanceType } from '@karpenter-ts/scheduling';
import { MINUTE, type SteadyClock } from '@karpenter-ts/runtime';
import { TypeDescriber } from '../instance-types/describe-type.ts';
import type { TypeOptions } from '../instance-types/type-settings.ts';
import type { PlacementGroup } from '../placement/placement-group.ts';
import { isCompatible } from './compatibility.ts';
import type { InstanceTypeSource } from './instance-type-source.ts';
import { identifySettings, type IdentifiedSettings } from './node-class-settings.ts';
import { ResolvedTypes, type TypeSources } from './resolved-types.ts';

/** How long the types of settings that no NodeClass has any more are kept at least (spec 07 §2.1). */
const KEPT = 5 * MINUTE;

export interface InstanceTypesDeps extends TypeSources {
  readonly options: TypeOptions;
  readonly clock: SteadyClock;
}

interface KnownTypes {
  readonly types: ResolvedTypes;
  usedAt: number; // elapsed milliseconds
}

/** The instance types of all NodeClasses. Those whose settings are equal share types and offerings. */
export class InstanceTypes implements InstanceTypeSource {
  readonly #deps: InstanceTypesDeps;
  readonly #known = new Map<string, KnownTypes>(); // by the key of the settings
  /** What each NodeClass was last read as. A NodeClass that changes is another object. */
  readonly #read = new WeakMap<
    EC2NodeClass,
    { readonly group: PlacementGroup | undefined; readonly is: IdentifiedSettings }
  >();
  #describer = new TypeDescriber();
  #describedVersion = 0;

  constructor(deps: InstanceTypesDeps) {
    this.#deps = deps;
  }

  list(nodeClass: EC2NodeClass, placementGroup: PlacementGroup | undefined): readonly InstanceType[] {
    return this.#typesOf(nodeClass, placementGroup).list(this.#currentDescriber());
  }

  async listInTurns(
    nodeClass: EC2NodeClass,
    placementGroup: PlacementGroup | undefined,
    signal: AbortSignal,
  ): Promise<readonly InstanceType[]> {
    return this.#typesOf(nodeClass, placementGroup).listInTurns(this.#currentDescriber(), signal);
  }

  /** Those of the list that EC2 would launch with the settings of the NodeClass, whether they can be had now or not. */
  async listCompatible(
    nodeClass: EC2NodeClass,
    placementGroup: PlacementGroup | undefined,
    signal: AbortSignal,
  ): Promise<readonly InstanceType[]> {
    const types = await this.listInTurns(nodeClass, placementGroup, signal);
    const { settings } = this.#identify(nodeClass, placementGroup);
    const { discovered } = this.#deps;
    return types.filter(({ name }) => {
      const info = discovered.types.get(name);
      return info !== undefined && isCompatible(info, settings);
    });
  }

  get(nodeClass: EC2NodeClass, placementGroup: PlacementGroup | undefined, name: string): InstanceType {
    const types = this.#typesOf(nodeClass, placementGroup);
    types.list(this.#currentDescriber());
    const type = types.find(name);
    if (type === undefined) throw new Error(`instance type ${name} not found in cache`);
    return type;
  }

  #typesOf(nodeClass: EC2NodeClass, placementGroup: PlacementGroup | undefined): ResolvedTypes {
    const { discovered, clock } = this.#deps;
    if (discovered.types.size === 0) throw new Error('no instance types found');
    if (discovered.zones.size === 0) throw new Error('no instance types offerings found');
    const { settings, key } = this.#identify(nodeClass, placementGroup);
    if (settings.subnetZones.size === 0) throw new Error('no subnets found');
    const now = clock.elapsed();
    let known = this.#known.get(key);
    if (known === undefined) {
      this.#dropUnused(now);
      known = { types: new ResolvedTypes(this.#deps, settings), usedAt: now };
      this.#known.set(key, known);
    }
    known.usedAt = now;
    return known.types;
  }

  #identify(nodeClass: EC2NodeClass, group: PlacementGroup | undefined): IdentifiedSettings {
    const read = this.#read.get(nodeClass);
    if (read !== undefined && read.group === group) return read.is;
    const is = identifySettings(nodeClass, group, this.#deps.options);
    this.#read.set(nodeClass, { group, is });
    return is;
  }

  /** Only new settings are a reason to forget others: as long as there are none, nothing is added. */
  #dropUnused(now: number): void {
    for (const [key, { usedAt }] of this.#known) {
      if (now - usedAt >= KEPT) this.#known.delete(key);
    }
  }

  /** What a describer shares must not outlive the types it is for. */
  #currentDescriber(): TypeDescriber {
    const { version } = this.#deps.discovered;
    if (version !== this.#describedVersion) {
      this.#describer = new TypeDescriber();
      this.#describedVersion = version;
    }
    return this.#describer;
  }
}
