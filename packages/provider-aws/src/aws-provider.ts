import { AWS_LABELS, AWS_PROFILE, type NodeClaim, type NodePool, resolveAmiFamily } from '@karpenter-ts/apis';
import type { CloudProvider, RegistrationHook } from '@karpenter-ts/cloudprovider';
import type { Logger } from '@karpenter-ts/runtime';
import type { InstanceType } from '@karpenter-ts/scheduling';
import type { Cluster } from './cluster/cluster.ts';
import { type DriftDeps, findDrift } from './instances/drift.ts';
import type { LaunchedNodeClaims } from './instances/launched-node-claims.ts';
import { placementGroupHook } from './instances/placement-group-hook.ts';
import { REPAIR_POLICIES } from './instances/repair-policies.ts';
import type { NodeClaimLauncher } from './launch/node-claim-launcher.ts';
import { EC2_NODE_CLASSES, type NodeClassLookup } from './node-class/node-class-lookup.ts';
import type { RefreshableOverlayPrices } from './offerings/overlay-prices.ts';

export interface AwsProviderDeps extends DriftDeps {
  readonly nodeClasses: NodeClassLookup;
  readonly launcher: Pick<NodeClaimLauncher, 'create'>;
  readonly launched: Pick<LaunchedNodeClaims, 'get' | 'list' | 'delete'>;
  readonly cluster: Pick<Cluster, 'cidr' | 'resolveCidr'>;
  readonly overlayPrices: Pick<RefreshableOverlayPrices, 'refresh'>;
  readonly logger: Logger;
}

/** What NodePools offer whose NodeClass is not there: always the same list. */
const NO_TYPES: readonly InstanceType[] = [];

/** Instances of EC2. */
export class AwsProvider implements CloudProvider {
  readonly name = 'aws';
  readonly profile = AWS_PROFILE;
  readonly nodeClasses = [EC2_NODE_CLASSES];
  readonly repairPolicies = REPAIR_POLICIES;
  readonly registrationHooks: readonly RegistrationHook[];
  readonly reservationIdLabel = AWS_LABELS.capacityReservationId;
  readonly reservedCapacityLabels: ReadonlySet<string> = new Set([
    AWS_LABELS.capacityReservationId,
    AWS_LABELS.capacityReservationType,
    AWS_LABELS.capacityReservationInterruptible,
  ]);
  readonly #deps: AwsProviderDeps;

  constructor(deps: AwsProviderDeps) {
    this.#deps = deps;
    this.registrationHooks = [placementGroupHook(deps.instances)];
  }

  async create(nodeClaim: NodeClaim, signal: AbortSignal): Promise<NodeClaim> {
    await this.#ensureCidr(nodeClaim, signal);
    return this.#deps.launcher.create(nodeClaim, signal);
  }

  delete(nodeClaim: NodeClaim, signal: AbortSignal): Promise<void> {
    return this.#deps.launched.delete(nodeClaim, signal);
  }

  get(providerId: string, signal: AbortSignal): Promise<NodeClaim> {
    return this.#deps.launched.get(providerId, signal);
  }

  list(signal: AbortSignal): Promise<readonly NodeClaim[]> {
    return this.#deps.launched.list(signal);
  }

  async instanceTypes(nodePool: NodePool, signal: AbortSignal): Promise<readonly InstanceType[]> {
    const { nodeClasses, placementGroups, instanceTypes, overlayPrices } = this.#deps;
    const nodeClass = nodeClasses.ofNodePool(nodePool);
    if (nodeClass === undefined) return NO_TYPES;
    const [group] = await Promise.all([placementGroups.resolve(nodeClass, signal), overlayPrices.refresh(signal)]);
    return instanceTypes.listInTurns(nodeClass, group, signal);
  }

  findDrift(nodeClaim: NodeClaim, signal: AbortSignal): Promise<string | undefined> {
    return findDrift(nodeClaim, this.#deps, signal);
  }

  /**
   * Nodes of AL2023 need the range of service addresses. A NodeClass that was ready before this process started is not
   * validated again at once, so a launch may be the first to need it. Without it the launch says what is missing.
   */
  async #ensureCidr(nodeClaim: NodeClaim, signal: AbortSignal): Promise<void> {
    const { cluster, nodeClasses, logger } = this.#deps;
    const nodeClass = nodeClasses.find(nodeClaim.spec.nodeClassRef.name);
    if (cluster.cidr !== undefined || nodeClass?.spec === undefined) return;
    if (resolveAmiFamily(nodeClass.spec) !== 'AL2023') return;
    try {
      await cluster.resolveCidr(signal);
    } catch (error) {
      signal.throwIfAborted();
      logger.error('failed resolving cluster CIDR', error);
    }
  }
}
