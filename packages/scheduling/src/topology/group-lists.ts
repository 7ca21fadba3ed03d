import { HOSTNAME_LABEL } from '@karpenter-ts/apis';
import type { Identity } from '../model/pods/pod-class.ts';
import { HostGroup } from './host-group.ts';
import { InverseFamily, HostFamily, kinshipOf, type Kinship } from './host-family.ts';
import type { LabelGroup } from './label-group.ts';
import type { TopologyRule } from './rule.ts';
import { SelectorIndex } from './selector-index.ts';

/** The counts of one rule in one run. */
export type Group = LabelGroup | HostGroup;

/**
 * Of how many items a list is remembered for every identity. Thousands of identities may each have thousands of groups: of
 * such lists only the latest is remembered, so that memory does not grow with the square of the pods.
 */
const REMEMBERED = 128;

/** From how many rules on a family is counted as one. Fewer are less work one by one. */
const MANY = 16;

interface FoundList<T> {
  readonly identity: Identity;
  readonly items: readonly T[];
  /** Of so many in all. */
  readonly of: number;
}

/** Finds the items that select pods of an identity, again and again. */
export class GroupLists<T extends { readonly rule: TopologyRule }> {
  readonly #index = new SelectorIndex<T>();
  readonly #lists = new Map<Identity, FoundList<T>>();
  readonly #isCounted: (item: T) => boolean;
  #latest: FoundList<T> | undefined;

  constructor(isCounted: (item: T) => boolean = () => true) {
    this.#isCounted = isCounted;
  }

  add(item: T): void {
    this.#index.add(item);
  }

  /** What was found last, though some may have been added since. */
  known(identity: Identity): readonly T[] | undefined {
    return this.#known(identity)?.items;
  }

  find(identity: Identity): readonly T[] {
    const known = this.#known(identity);
    if (known !== undefined && known.of === this.#index.size) return known.items;
    const items = this.#index.find(identity).filter(this.#isCounted);
    const list = { identity, items, of: this.#index.size };
    if (items.length <= REMEMBERED) this.#lists.set(identity, list);
    else this.#latest = list;
    return items;
  }

  #known(identity: Identity): FoundList<T> | undefined {
    return this.#latest?.identity === identity ? this.#latest : this.#lists.get(identity);
  }
}

/** A family to be, or one that is. */
interface Kin<F> {
  readonly members: { readonly group: HostGroup; readonly kinship: Kinship }[];
  family: F | undefined;
}

/** The groups that count pods, with families counted as one. */
export class CountingGroups {
  readonly #lists = new GroupLists<Group | HostFamily>((one) => !(one instanceof HostGroup && one.isDerived));
  readonly #kin = new Map<string, Kin<HostFamily>>();
  readonly #count: (rule: TopologyRule) => HostGroup;
  #isClosed = false;

  /** `count` makes the group of a rule by host with the pods of the cluster. */
  constructor(count: (rule: TopologyRule) => HostGroup) {
    this.#count = count;
  }

  /** Those who count a pod of an identity that is about to be recorded. */
  of(identity: Identity): readonly (Group | HostFamily)[] {
    return this.#lists.find(identity);
  }

  /** Pods were recorded: who comes later counts for himself. */
  close(): void {
    this.#isClosed = true;
  }

  add(group: Group): void {
    const kinship = this.#isClosed ? undefined : hostKinship(group);
    if (kinship === undefined || !this.#join(group as HostGroup, kinship)) this.#lists.add(group);
  }

  #join(group: HostGroup, kinship: Kinship): boolean {
    const kin = kinOf(this.#kin, kinship);
    if (kin.family !== undefined) {
      kin.family.adopt(group, kinship.values);
      return true;
    }
    if (kin.members.push({ group, kinship }) < MANY) return false;
    kin.family = new HostFamily(kinship, this.#count);
    for (const member of kin.members) kin.family.adopt(member.group, member.kinship.values);
    this.#lists.add(kin.family);
    return true;
  }
}

/** The groups that keep pods away, with families as one. */
export class InverseGroups {
  readonly #lists = new GroupLists<Group | InverseFamily>(
    (one) => !(one instanceof HostGroup && this.#families.has(one)),
  );
  readonly #kin = new Map<string, Kin<InverseFamily>>();
  readonly #families = new Map<HostGroup, { readonly family: InverseFamily; readonly values: ReadonlySet<string> }>();

  /** Those that keep away pods of an identity. */
  against(identity: Identity): readonly Group[] {
    return this.#lists.find(identity).map((one) => (one instanceof InverseFamily ? one.against(identity) : one));
  }

  /** One more owner was recorded in a group. */
  record(group: HostGroup, host: number, isPlanned: boolean): void {
    const membership = this.#families.get(group);
    membership?.family.add(membership.values, host, isPlanned);
  }

  add(group: Group): void {
    const kinship = hostKinship(group);
    if (kinship === undefined || !this.#join(group as HostGroup, kinship)) this.#lists.add(group);
  }

  #join(group: HostGroup, kinship: Kinship): boolean {
    const kin = kinOf(this.#kin, kinship);
    if (kin.family === undefined) {
      if (kin.members.push({ group, kinship }) < MANY) return false;
      kin.family = new InverseFamily(kinship);
      for (const member of kin.members.slice(0, -1)) this.#adopt(kin.family, member.group, member.kinship);
      this.#lists.add(kin.family);
    }
    this.#adopt(kin.family, group, kinship);
    return true;
  }

  #adopt(family: InverseFamily, group: HostGroup, { values }: Kinship): void {
    family.adopt(group, values);
    this.#families.set(group, { family, values });
  }
}

function hostKinship({ rule }: Group): Kinship | undefined {
  return rule.key === HOSTNAME_LABEL && rule.kind !== 'affinity' ? kinshipOf(rule) : undefined;
}

function kinOf<F>(all: Map<string, Kin<F>>, { text }: Kinship): Kin<F> {
  let kin = all.get(text);
  if (kin === undefined) {
    kin = { members: [], family: undefined };
    all.set(text, kin);
  }
  return kin;
}
