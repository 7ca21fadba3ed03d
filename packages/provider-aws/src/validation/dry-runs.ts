import { AWS_PROFILE, type EC2NodeClass, type NodeClaim, type NodePool, toRequirements } from '@karpenter-ts/apis';
import type { InstanceType } from '@karpenter-ts/scheduling';
import type { Ec2Api } from '../api/aws-apis.ts';
import {
  isDryRunSuccess,
  isInstanceProfileNotFound,
  isLaunchTemplateNotFound,
  isPlacementGroupNotFound,
} from '../api/aws-error.ts';
import { within } from '../api/with-context.ts';
import type { JoinedCluster } from '../cluster/cluster-facts.ts';
import type { Tags } from '../launch/launch-tags.ts';
import type { LaunchTemplates, TemplateUse } from '../launch/launch-templates.ts';
import type { LaunchTerms } from '../launch/launch-terms.ts';
import { groupByTemplate, type TemplateGroup } from '../launch/template-groups.ts';
import type { InstanceTypes } from '../offerings/instance-types.ts';
import type { PlacementGroup, PlacementGroupSource } from '../placement/placement-group.ts';
import { EC2_NODE_CLASSES } from '../node-class/node-class-lookup.ts';
import { fleetDryRun, instanceDryRun, type Probe } from './dry-run-requests.ts';
import { chooseProbe, probeTenancy } from './probe.ts';
import { judge, type Judgement } from './refusals.ts';

export interface DryRunDeps {
  readonly ec2: Pick<Ec2Api, 'createFleet' | 'runInstances'>;
  readonly templates: Pick<LaunchTemplates, 'startUse' | 'invalidate'>;
  readonly instanceTypes: Pick<InstanceTypes, 'listCompatible'>;
  readonly placementGroups: PlacementGroupSource;
  readonly cluster: JoinedCluster;
  readonly region: string;
  /** Whether capacity reservations are used. */
  readonly reservedCapacity: boolean;
}

/** A NodeClass to ask EC2 about. */
export interface DryRunQuestion {
  readonly nodeClass: EC2NodeClass;
  /** Those that refer to it. */
  readonly nodePools: readonly NodePool[];
  readonly tags: Tags;
}

/** The NodeClaim of a launch that nobody has asked for: its NodePool has no name, and it has no labels or taints. */
export const NOBODY: NodeClaim = {
  apiVersion: 'karpenter.sh/v1',
  kind: 'NodeClaim',
  metadata: { name: '' },
  spec: {
    nodeClassRef: { group: EC2_NODE_CLASSES.group, kind: EC2_NODE_CLASSES.kind, name: '' },
    requirements: [],
    expireAfter: 'Never',
  },
};

/**
 * Asks EC2 whether it would launch an instance of the NodeClass. The launch template is really made, as launches do; it
 * goes when it has not been used for a while. Resolves with what is wrong, or undefined.
 */
export async function runDryRuns(
  question: DryRunQuestion,
  deps: DryRunDeps,
  signal: AbortSignal,
): Promise<Judgement | undefined> {
  const { nodeClass, nodePools, tags } = question;
  const group = await within('generating options', deps.placementGroups.resolve(nodeClass, signal));
  const listing = deps.instanceTypes.listCompatible(nodeClass, group, signal);
  const types = await within('generating options, listing instance types for nodeclass', listing);
  const type = chooseProbe({ nodeClass, types, nodePools });
  if (type === undefined) return NO_TYPE;
  const terms = termsOf(nodePools);
  const template = templateOf({ ...question, type, terms, group }, deps);
  const probe = { nodeClass, template: template.name, instanceType: type.name, terms, tags };
  const use = deps.templates.startUse();
  try {
    return (
      (await ensureTemplate(template, use, signal)) ??
      (await tryFleet(probe, deps, signal)) ??
      (await trySubnets(probe, deps, signal))
    );
  } finally {
    use.end();
  }
}

/** Upstream panics. */
const NO_TYPE: Judgement = {
  kind: 'impossible',
  refusal: {
    reason: 'NoCompatibleInstanceTypes',
    message: 'No instance type is compatible with both the settings and the AMIs of the EC2NodeClass',
  },
};

function termsOf(nodePools: readonly NodePool[]): LaunchTerms {
  return {
    capacityType: 'on-demand',
    tenancy: probeTenancy(nodePools),
    reservationKind: undefined,
    partition: undefined,
    requirements: toRequirements([], AWS_PROFILE),
  };
}

interface TemplateQuestion extends DryRunQuestion {
  readonly type: InstanceType;
  readonly terms: LaunchTerms;
  readonly group: PlacementGroup | undefined;
}

/** There is exactly one: a single type starts from a single image. */
function templateOf({ type, group, ...question }: TemplateQuestion, deps: DryRunDeps): TemplateGroup {
  const [template] = groupByTemplate({
    ...question,
    ...deps,
    nodeClaim: NOBODY,
    types: [type],
    placementGroup: group,
  });
  return template!;
}

async function ensureTemplate(
  { name, spec }: TemplateGroup,
  use: TemplateUse,
  signal: AbortSignal,
): Promise<Judgement | undefined> {
  try {
    await use.ensure(name, spec, signal);
    return undefined;
  } catch (error) {
    signal.throwIfAborted();
    return judge('CreateLaunchTemplate', error);
  }
}

async function tryFleet(probe: Probe, deps: DryRunDeps, signal: AbortSignal): Promise<Judgement | undefined> {
  const error = await dryRun(deps.ec2.createFleet(fleetDryRun(probe), signal), signal);
  return error === undefined ? undefined : judgeLaunch('CreateFleet', error, probe, deps);
}

/** One subnet in which the launch would succeed is enough. If there is none, the first says why. */
async function trySubnets(probe: Probe, deps: DryRunDeps, signal: AbortSignal): Promise<Judgement | undefined> {
  let firstError: unknown;
  for (const subnet of probe.nodeClass.status?.subnets ?? []) {
    const error = await dryRun(deps.ec2.runInstances(instanceDryRun(probe, subnet), signal), signal);
    if (error === undefined) return undefined;
    firstError ??= error;
  }
  return judgeLaunch('RunInstances', firstError, probe, deps);
}

/** The error of a dry run that would not have succeeded. */
async function dryRun(call: Promise<unknown>, signal: AbortSignal): Promise<unknown> {
  try {
    await call;
    return new Error('the dry run was not answered as one');
  } catch (error) {
    signal.throwIfAborted();
    return isDryRunSuccess(error) ? undefined : error;
  }
}

/**
 * EC2 may not know yet of an instance profile or a launch template that has just been made, and somebody may have deleted
 * the template or the placement group, which another step notices: none of these says anything of the NodeClass.
 */
function judgeLaunch(
  call: 'CreateFleet' | 'RunInstances',
  error: unknown,
  { template, nodeClass }: Probe,
  { templates }: DryRunDeps,
): Judgement {
  if (isInstanceProfileNotFound(error)) return nodeClass.spec?.role ? { kind: 'retry' } : missingProfile(nodeClass);
  if (isPlacementGroupNotFound(error)) return { kind: 'retry' };
  if (!isLaunchTemplateNotFound(error)) return judge(call, error);
  templates.invalidate(template);
  return { kind: 'retry' };
}

/** The user's own, which may have been misspelt. Upstream asks again for ever and says nothing. */
function missingProfile({ spec }: EC2NodeClass): Judgement {
  const message = `EC2 does not know the instance profile ${JSON.stringify(spec?.instanceProfile ?? '')}`;
  return { kind: 'retry', refusal: { reason: 'InstanceProfileNotFound', message } };
}
