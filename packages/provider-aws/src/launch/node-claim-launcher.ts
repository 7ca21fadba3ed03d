import {
  EC2NODECLASS_HASH_ANNOTATIONS,
  EC2NODECLASS_HASH_V5,
  type EC2NodeClass,
  ec2NodeClassHash,
  findTagRestriction,
  INSTANCE_PROFILE_NAME,
  type NodeClaim,
  NODEPOOL_LABEL,
} from '@karpenter-ts/apis';
import { CreateError, InsufficientCapacityError, NodeClassNotReadyError } from '@karpenter-ts/cloudprovider';
import { findCondition, READY } from '@karpenter-ts/kubernetes';
import { nameList } from '@karpenter-ts/runtime';
import type { InstanceType } from '@karpenter-ts/scheduling';
import { setKey } from '../batching/set-key.ts';
import { nodeClaimOf } from '../instances/node-claim-of.ts';
import { typeDataOf } from '../instances/type-data.ts';
import type { Instance } from '../instances/instance.ts';
import { type NodeClassLookup, NodeClassNotFoundError } from '../node-class/node-class-lookup.ts';
import type { InstanceTypeSource } from '../offerings/instance-type-source.ts';
import type { PlacementGroup, PlacementGroupSource } from '../placement/placement-group.ts';
import type { ReservationCounter } from '../reservations/reservation-counter.ts';
import { demandOf } from './demand.ts';
import { type Tags, launchTags } from './launch-tags.ts';
import { chooseTerms, type LaunchTerms } from './launch-terms.ts';
import { chooseLaunchTypes, type LaunchTypes } from './launch-types.ts';
import { Launcher, type LauncherDeps } from './launcher.ts';
import { wrapError } from './wrap-error.ts';

export interface NodeClaimLauncherDeps extends LauncherDeps {
  readonly nodeClasses: NodeClassLookup;
  readonly placementGroups: PlacementGroupSource;
  readonly instanceTypes: Pick<InstanceTypeSource, 'listInTurns'>;
  readonly reservations: Pick<ReservationCounter, 'launched' | 'exhausted'>;
  readonly minValuesPolicy: 'Strict' | 'BestEffort';
  /** The types as the NodeOverlays change them for a NodePool; undefined if these are not used. May throw. */
  readonly overlay?: ((types: readonly InstanceType[], nodePool: string) => readonly InstanceType[]) | undefined;
}

/** Turns NodeClaims into instances (spec 07 §11). */
export class NodeClaimLauncher {
  readonly #deps: NodeClaimLauncherDeps;
  readonly #launcher: Launcher;
  readonly #choices: LaunchChoices;

  constructor(deps: NodeClaimLauncherDeps) {
    this.#deps = deps;
    this.#launcher = new Launcher(deps);
    this.#choices = new LaunchChoices(deps.minValuesPolicy);
  }

  /** Launches an instance and returns what is known of it. */
  async create(nodeClaim: NodeClaim, signal: AbortSignal): Promise<NodeClaim> {
    const nodeClass = this.#resolve(nodeClaim);
    requireReady(nodeClass);
    const tags = this.#tags(nodeClass, nodeClaim);
    const placementGroup = await this.#placementGroup(nodeClass, signal);
    const types = this.#overlaid(await this.#types(nodeClass, placementGroup, signal), nodeClaim);
    const launched = await this.#launch({ nodeClass, nodeClaim, tags, placementGroup, types }, signal);
    return this.#describe(launched, { nodeClass, placementGroup, types });
  }

  #resolve(nodeClaim: NodeClaim): EC2NodeClass {
    try {
      return this.#deps.nodeClasses.ofNodeClaim(nodeClaim);
    } catch (error) {
      const wrapped = wrapError('resolving nodeclass', error);
      throw error instanceof NodeClassNotFoundError ? new InsufficientCapacityError(wrapped) : wrapped;
    }
  }

  #tags(nodeClass: EC2NodeClass, nodeClaim: NodeClaim): Tags {
    const problem = findTagRestriction(nodeClass.spec?.tags ?? {});
    if (problem !== undefined) throw new NodeClassNotReadyError(new Error(problem));
    return launchTags(nodeClass, nodeClaim, this.#deps.cluster.name);
  }

  async #placementGroup(nodeClass: EC2NodeClass, signal: AbortSignal): Promise<PlacementGroup | undefined> {
    try {
      return await this.#deps.placementGroups.resolve(nodeClass, signal);
    } catch (error) {
      throw wrapError('creating instance, resolving placement group', error);
    }
  }

  async #types(
    nodeClass: EC2NodeClass,
    placementGroup: PlacementGroup | undefined,
    signal: AbortSignal,
  ): Promise<readonly InstanceType[]> {
    try {
      return await this.#deps.instanceTypes.listInTurns(nodeClass, placementGroup, signal);
    } catch (error) {
      signal.throwIfAborted();
      const wrapped = wrapError('resolving instance types', error);
      throw new CreateError(wrapped, 'InstanceTypeResolutionFailed', 'Error resolving instance types');
    }
  }

  /** NodeOverlays are evaluated by NodePool, so there are none for a NodeClaim without one. */
  #overlaid(types: readonly InstanceType[], { metadata }: NodeClaim): readonly InstanceType[] {
    const nodePool = metadata.labels?.[NODEPOOL_LABEL];
    if (this.#deps.overlay === undefined || nodePool === undefined) return types;
    try {
      return this.#deps.overlay(types, nodePool);
    } catch (error) {
      throw wrapError('creating instance', error);
    }
  }

  async #launch({ types, ...request }: CreateRequest, signal: AbortSignal): Promise<Launched> {
    try {
      const demand = demandOf(request.nodeClaim);
      const chosen = this.#choices.choose(types, request.nodeClaim);
      this.#logRejections(chosen);
      const terms = chooseTerms(chosen.types, demand.requirements, request.placementGroup);
      const instance = await this.#launcher.launch({ ...request, demand, types: chosen.types, terms }, signal);
      return { instance, terms };
    } catch (error) {
      signal.throwIfAborted();
      throw wrapError('creating instance', error);
    }
  }

  #logRejections({ rejections }: LaunchTypes): void {
    for (const { filter, names } of rejections) {
      this.#deps.logger.debug('filtered out instance types from launch', {
        filter,
        'instance-types': nameList(names, 5),
      });
    }
  }

  #describe(
    { instance, terms }: Launched,
    { nodeClass, placementGroup, types }: Pick<CreateRequest, 'nodeClass' | 'placementGroup' | 'types'>,
  ): NodeClaim {
    const { reservations, cluster, clock } = this.#deps;
    if (instance.reservation !== undefined) reservations.launched(instance.reservation.id);
    const type = types.find(({ name }) => name === instance.type);
    const nodeClaim = nodeClaimOf(
      { instance, type: type && typeDataOf(type), nodeClass, placementGroup, partition: terms.partition },
      clock.now(),
    );
    const annotations = {
      [EC2NODECLASS_HASH_ANNOTATIONS.hash]: ec2NodeClassHash(nodeClass, { clusterCaBundle: cluster.caBundle ?? '' }),
      [EC2NODECLASS_HASH_ANNOTATIONS.version]: EC2NODECLASS_HASH_V5,
      [INSTANCE_PROFILE_NAME]: nodeClass.status?.instanceProfile ?? '',
    };
    return { ...nodeClaim, metadata: { ...nodeClaim.metadata, annotations } };
  }
}

interface CreateRequest {
  readonly nodeClass: EC2NodeClass;
  readonly nodeClaim: NodeClaim;
  readonly tags: Tags;
  readonly placementGroup: PlacementGroup | undefined;
  readonly types: readonly InstanceType[];
}

interface Launched {
  readonly instance: Instance;
  readonly terms: LaunchTerms;
}

/** What a NodeClass says of itself must be about its present spec. */
function requireReady(nodeClass: EC2NodeClass): void {
  const { status, observedGeneration, message } = findCondition(nodeClass, READY) ?? {
    status: 'Unknown',
    message: 'object is awaiting reconciliation',
  };
  if (status === 'False') throw new NodeClassNotReadyError(new Error(message));
  if (status !== 'True') {
    const cause = new Error(`resolving nodeclass readiness, nodeclass is in Ready=Unknown, ${message}`);
    throw new CreateError(cause, 'NodeClassReadinessUnknown', 'NodeClass is in Ready=Unknown');
  }
  if ((observedGeneration ?? 0) !== (nodeClass.metadata.generation ?? 0)) {
    throw new NodeClassNotReadyError(new Error('nodeclass status has not been reconciled against the latest spec'));
  }
}

/** The most distinct requests that are remembered for one list of types. */
const MOST_REMEMBERED = 100;

/**
 * Chooses types for NodeClaims. Many NodeClaims of a NodePool ask for the same, and going through the whole catalogue takes
 * 20 ms, so the choice is remembered for as long as the list of types is the same one.
 */
class LaunchChoices {
  readonly #minValuesPolicy: 'Strict' | 'BestEffort';
  readonly #byTypes = new WeakMap<readonly InstanceType[], Map<string, LaunchTypes>>();

  constructor(minValuesPolicy: 'Strict' | 'BestEffort') {
    this.#minValuesPolicy = minValuesPolicy;
  }

  choose(types: readonly InstanceType[], nodeClaim: NodeClaim): LaunchTypes {
    const { requirements, resources } = nodeClaim.spec;
    const key = setKey({ requirements, requests: resources?.requests });
    const remembered = this.#of(types);
    let choice = remembered.get(key);
    if (choice === undefined) {
      choice = chooseLaunchTypes(types, demandOf(nodeClaim), this.#minValuesPolicy);
      if (remembered.size >= MOST_REMEMBERED) remembered.clear();
      remembered.set(key, choice);
    }
    return choice;
  }

  #of(types: readonly InstanceType[]): Map<string, LaunchTypes> {
    let remembered = this.#byTypes.get(types);
    if (remembered === undefined) {
      remembered = new Map();
      this.#byTypes.set(types, remembered);
    }
    return remembered;
  }
}
