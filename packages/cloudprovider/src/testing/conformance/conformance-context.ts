import assert from 'node:assert/strict';
import {
  findIncompatibilities,
  INSTANCE_TYPE_LABEL,
  type NodeClaim,
  type Requirements,
  type RequirementSpec,
  toRequirements,
} from '@karpenter-ts/apis';
import { errorText, findCause, SECOND } from '@karpenter-ts/runtime';
import { NEVER } from '@karpenter-ts/runtime/testing';
import { compatibleOfferings, type InstanceType, type Offering } from '@karpenter-ts/scheduling';
import type { CloudProvider } from '../../cloud-provider.ts';
import { NodeClaimNotFoundError } from '../../errors.ts';
import { Inconclusive } from './obligation.ts';
import type { Demand, TestHooks, Subject } from './subject.ts';

/** How often the lifecycle controller polls a deletion (spec 03 §7.2), and how often a check polls at the most. */
const POLL = 5 * SECOND;
const POLLS = 120;

/** The planner puts at most this many instance types into a NodeClaim (spec 02 §23). */
const TYPES_PER_CLAIM = 60;

/** What an obligation's check works with: the provider's calls, and the steps that many checks share. */
export class ConformanceContext {
  readonly #subject: Subject;

  constructor(subject: Subject) {
    this.#subject = subject;
  }

  get subject(): Omit<Subject, 'provider' | 'makeNodeClaim' | 'hooks'> {
    return this.#subject;
  }

  get facts(): Pick<CloudProvider, 'profile' | 'nodeClasses' | 'reservationIdLabel' | 'reservedCapacityLabels'> {
    return this.#subject.provider;
  }

  /** Returns a hook that the obligation lists in `needs`. */
  hook<K extends keyof TestHooks>(name: K): NonNullable<TestHooks[K]> {
    const hook = this.#subject.hooks[name];
    assert.ok(hook, `the obligation uses the hook ${name} without naming it`);
    return hook;
  }

  /** Makes a NodeClaim. Without a requirement on the instance type it allows every type that can be bought. */
  async claim({ requirements = [], requests }: Demand = {}): Promise<NodeClaim> {
    const namesTypes = requirements.some(({ key }) => key === INSTANCE_TYPE_LABEL);
    const types = namesTypes ? [] : [isOneOf(INSTANCE_TYPE_LABEL, (await this.purchasableTypes()).map(nameOf))];
    return this.#subject.makeNodeClaim({ requirements: [...types, ...requirements], ...(requests && { requests }) });
  }

  create(claim: NodeClaim): Promise<NodeClaim> {
    return this.#subject.finish(this.#subject.provider.create(claim, NEVER));
  }

  /** Launches an instance for a new NodeClaim, and returns that NodeClaim and what the provider returned. */
  async launch(demand?: Demand): Promise<{ readonly claim: NodeClaim; readonly launched: NodeClaim }> {
    const claim = await this.claim(demand);
    return { claim, launched: await this.create(claim) };
  }

  delete(claim: NodeClaim): Promise<void> {
    return this.#subject.finish(this.#subject.provider.delete(claim, NEVER));
  }

  get(providerId: string): Promise<NodeClaim> {
    return this.#subject.finish(this.#subject.provider.get(providerId, NEVER));
  }

  list(): Promise<readonly NodeClaim[]> {
    return this.#subject.finish(this.#subject.provider.list(NEVER));
  }

  instanceTypes(): Promise<readonly InstanceType[]> {
    return this.#subject.finish(this.#subject.provider.instanceTypes(this.#subject.nodePool, NEVER));
  }

  findDrift(claim: NodeClaim): Promise<string | undefined> {
    return this.#subject.finish(this.#subject.provider.findDrift(claim, NEVER));
  }

  /** Deletes the instance as the lifecycle controller does. Returns false if `delete` never reports that it is gone. */
  async end({ claim, launched }: { readonly claim: NodeClaim; readonly launched: NodeClaim }): Promise<boolean> {
    const deleting = withStatusOf(claim, launched);
    for (let poll = 0; poll < POLLS; poll++) {
      const error = await rejectionOf(this.delete(deleting));
      if (findCause(error, NodeClaimNotFoundError)) return true;
      if (error !== undefined) throw error;
      await this.#subject.advance(POLL);
    }
    return false;
  }

  /** Like `end`, for checks that only make sense on an instance that is gone. */
  async mustEnd(instance: Parameters<ConformanceContext['end']>[0]): Promise<void> {
    if (!(await this.end(instance))) throw new Inconclusive('delete never says that the instance is gone');
  }

  /** Returns instance types the pool can buy now, at most as many as the planner puts into a NodeClaim. */
  async purchasableTypes(): Promise<readonly InstanceType[]> {
    const types = await this.instanceTypes();
    const purchasable = types
      .values()
      .filter((type) => this.offeringsFor(type).length > 0)
      .take(TYPES_PER_CLAIM)
      .toArray();
    if (purchasable.length === 0) throw new Inconclusive('the pool can buy no type');
    return purchasable;
  }

  /** The available offerings of a type the pool can use. */
  offeringsFor(type: InstanceType): readonly Offering[] {
    const { profile } = this.facts;
    const asked = this.#poolRequirements();
    const offered = toRequirements(type.requirements, profile);
    const isSuitable = findIncompatibilities(asked, offered, profile.wellKnownLabels).length === 0;
    return isSuitable ? compatibleOfferings(type, asked, profile) : [];
  }

  #poolRequirements(): Requirements {
    return toRequirements(this.#subject.nodePool.spec.template.spec.requirements, this.facts.profile);
  }
}

/** What a call rejected with; undefined if it did not. */
export async function rejectionOf(call: Promise<unknown>): Promise<unknown> {
  try {
    await call;
    return undefined;
  } catch (error) {
    return error;
  }
}

/** Fails unless the call rejects with an error of this class, however wrapped. */
export async function mustReject(call: Promise<unknown>, type: abstract new (cause: Error) => Error): Promise<void> {
  const error = await rejectionOf(call);
  const outcome = error === undefined ? 'it resolved' : `it rejected with ${errorText(error)}`;
  assert.ok(findCause(error, type), outcome);
}

/** The claim as it stands in the API after its launch: the lifecycle controller takes over what the launch decided. */
export function withStatusOf(claim: NodeClaim, launched: NodeClaim): NodeClaim {
  const labels = { ...launched.metadata.labels, ...claim.metadata.labels };
  const annotations = { ...claim.metadata.annotations, ...launched.metadata.annotations };
  return {
    ...claim,
    metadata: { ...claim.metadata, labels, annotations },
    status: { ...claim.status, ...launched.status },
  };
}

/** The provider id of a launch. */
export function providerIdOf({ status }: NodeClaim): string {
  if (!status?.providerID) throw new Inconclusive('create resolved without a provider id');
  return status.providerID;
}

/** The requirement that a label has one of these values. */
export function isOneOf(key: string, values: readonly string[]): RequirementSpec {
  return { key, operator: 'In', values };
}

/** The one value an offering or a type has for a label; undefined if it has none or several. */
export function onlyValue({ requirements }: Offering | InstanceType, key: string): string | undefined {
  const found = requirements.find((one) => one.key === key && one.operator === 'In');
  return found?.values?.length === 1 ? found.values[0] : undefined;
}

const nameOf = ({ name }: InstanceType): string => name;
