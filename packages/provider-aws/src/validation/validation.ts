import { type EC2NodeClass, findTagRestriction, type NodePool, resolveAmiFamily } from '@karpenter-ts/apis';
import { nodeClassKey } from '@karpenter-ts/cloudprovider';
import { type Logger, MINUTE, type Result, RETRY, type SteadyClock, TerminalError } from '@karpenter-ts/runtime';
import { isTransient } from '../api/aws-error.ts';
import { withContext } from '../api/with-context.ts';
import type { Cluster } from '../cluster/cluster.ts';
import { launchTags, type Tags } from '../launch/launch-tags.ts';
import { EC2_NODE_CLASSES } from '../node-class/node-class-lookup.ts';
import type { NodeClassDraft } from '../status/node-class-draft.ts';
import type { StatusStep } from '../status/status-step.ts';
import { NOBODY, runDryRuns, type DryRunDeps } from './dry-runs.ts';
import type { Judgement } from './refusals.ts';
import { findUnusableSetting } from './unusable-settings.ts';
import { type Verdict, Verdicts } from './verdicts.ts';

/** How soon a NodeClass is looked at again about which all is said. */
const INTERVAL = 10 * MINUTE;

export interface ValidationDeps extends DryRunDeps {
  readonly cluster: Cluster;
  readonly nodePools: { byIndex(index: 'nodeClass', key: string): readonly NodePool[] };
  readonly clock: SteadyClock;
  /** Whether EC2 is not to be asked. */
  readonly disableDryRun: boolean;
}

/** The condition `ValidationSucceeded`: whether EC2 would launch an instance with what the other steps have found. */
export class Validation implements StatusStep {
  readonly #deps: ValidationDeps;
  readonly #verdicts: Verdicts;

  constructor(deps: ValidationDeps) {
    this.#deps = deps;
    this.#verdicts = new Verdicts(deps.clock);
  }

  /** The first check that decides ends the run (spec 08 §11). */
  async reconcile(draft: NodeClassDraft, signal: AbortSignal, logger: Logger): Promise<Result> {
    if (!(await this.#resolveCidr(draft, signal))) return RETRY;
    if (this.#refuseSettings(draft) || awaitDependencies(draft)) return { requeueAfter: INTERVAL };
    requireAllowedTags(draft);
    const { nodeClass } = draft;
    const tags = launchTags(nodeClass, NOBODY, this.#deps.cluster.name);
    const known = this.#verdicts.find(nodeClass, tags);
    if (known !== undefined) {
      setVerdict(draft, known.verdict);
    } else if (this.#deps.disableDryRun) {
      this.#keep(draft, tags, undefined);
    } else {
      return this.#ask(draft, tags, { signal, logger });
    }
    return { requeueAfter: INTERVAL };
  }

  forget({ metadata }: Pick<EC2NodeClass, 'metadata'>): void {
    this.#verdicts.forget(metadata.name);
  }

  /** How many verdicts on the NodeClass of this name are remembered. */
  verdictsOn(name: string): number {
    return this.#verdicts.count(name);
  }

  /**
   * Nodes of AL2023 need the range of service addresses. Clusters that are not of EKS have none to ask for, so it is not
   * asked for at the start. Returns whether it is known, or not needed.
   */
  async #resolveCidr(draft: NodeClassDraft, signal: AbortSignal): Promise<boolean> {
    if (resolveAmiFamily(draft.nodeClass.spec ?? {}) !== 'AL2023') return true;
    try {
      await this.#deps.cluster.resolveCidr(signal);
      return true;
    } catch (error) {
      signal.throwIfAborted();
      if (isTransient(error)) return false;
      const message = 'Failed to detect the cluster CIDR';
      refuse(draft, { reason: 'ClusterCIDRResolutionFailed', message });
      throw withContext('failed to detect the cluster CIDR', error);
    }
  }

  #refuseSettings(draft: NodeClassDraft): boolean {
    const refusal = findUnusableSetting(draft.nodeClass, this.#deps.cluster);
    if (refusal !== undefined) refuse(draft, refusal);
    return refusal !== undefined;
  }

  async #ask(draft: NodeClassDraft, tags: Tags, call: DryRunCall): Promise<Result> {
    const { nodeClass } = draft;
    const key = nodeClassKey({ ...EC2_NODE_CLASSES, name: nodeClass.metadata.name });
    const nodePools = this.#deps.nodePools.byIndex('nodeClass', key);
    const judgement = await runDryRuns({ nodeClass, nodePools, tags }, this.#deps, call.signal);
    return this.#conclude(judgement, draft, tags, call.logger);
  }

  #conclude(judgement: Judgement | undefined, draft: NodeClassDraft, tags: Tags, logger: Logger): Result {
    if (judgement?.kind === 'retry' || judgement?.kind === 'unexpected') {
      // What was launched before can be launched on. Nothing else says that the NodeClass works.
      const { refusal } = judgement;
      if (refusal && !draft.holds(TYPE)) draft.setCondition({ type: TYPE, status: 'Unknown', ...refusal });
      if (judgement.kind === 'unexpected') throw judgement.error;
      return RETRY;
    }
    if (judgement?.kind === 'refused') logger.error(judgement.log, judgement.error);
    if (judgement?.kind === 'impossible') refuse(draft, judgement.refusal);
    else this.#keep(draft, tags, judgement?.refusal);
    return { requeueAfter: INTERVAL };
  }

  #keep(draft: NodeClassDraft, tags: Tags, verdict: Verdict): void {
    this.#verdicts.keep(draft.nodeClass, tags, verdict);
    setVerdict(draft, verdict);
  }
}

interface DryRunCall {
  readonly signal: AbortSignal;
  readonly logger: Logger;
}

const TYPE = 'ValidationSucceeded';

function setVerdict(draft: NodeClassDraft, verdict: Verdict): void {
  if (verdict === undefined) draft.setCondition({ type: TYPE, status: 'True' });
  else refuse(draft, verdict);
}

function refuse(draft: NodeClassDraft, refusal: NonNullable<Verdict>): void {
  draft.setCondition({ type: TYPE, status: 'False', ...refusal });
}

/** A placement group or reservations that are missing say nothing of the launch template. */
const DEPENDENCIES = ['AMIsReady', 'InstanceProfileReady', 'SecurityGroupsReady', 'SubnetsReady'] as const;

const AWAITING = {
  reason: 'DependenciesNotReady',
  message: 'Awaiting AMI, Instance Profile, Security Group, and Subnet resolution',
};

/** Returns whether there is anything to wait for. One that is missing decides, whatever is not known yet. */
function awaitDependencies(draft: NodeClassDraft): boolean {
  const statuses = new Set(DEPENDENCIES.map((type) => draft.condition(type)?.status ?? 'Unknown'));
  const status = (['False', 'Unknown'] as const).find((one) => statuses.has(one));
  if (status === undefined) return false;
  draft.setCondition({ type: TYPE, status, ...AWAITING });
  return true;
}

/** The CRD refuses these, too, unless somebody has installed it without its rules. */
function requireAllowedTags(draft: NodeClassDraft): void {
  const message = findTagRestriction(draft.nodeClass.spec?.tags ?? {});
  if (message === undefined) return;
  refuse(draft, { reason: 'TagValidationFailed', message });
  throw new TerminalError(new Error(`validating tags, ${message}`));
}
