import type { PolicyStatement } from '@karpenter-ts/aws-emulator/policies';
import type { PolicyPlace } from './capabilities.ts';

const TAG_OF_CLUSTER = /^aws:(?:Request|Resource)Tag\/kubernetes\.io\/cluster\/(.+)$/i;

/**
 * What policies are for, as they say themselves in their conditions and resources. Placeholders that are not filled in
 * are taken as they stand, so that a template can be checked as well.
 */
export function findPlace(statements: readonly PolicyStatement[], clusterName?: string): PolicyPlace {
  const conditions = statements.flatMap((one) => one.conditions);
  const resources = statements.flatMap((one) => one.resources.patterns);
  const arns = resources.filter((one) => one.startsWith('arn:')).map(partsOfArn);
  const named = (part: number): string | undefined => arns.map((parts) => parts[part]).find(isDefinite);
  const regions = conditions.filter(({ key }) => key.toLowerCase() === 'aws:requestedregion');
  const partition = named(1) ?? 'aws';
  const region = regions.flatMap(({ values }) => values).find(isDefinite) ?? named(3) ?? 'us-east-1';
  const account =
    arns
      .filter((parts) => parts[4] !== 'aws')
      .map((parts) => parts[4])
      .find(isDefinite) ?? '111122223333';
  const cluster =
    clusterName ??
    conditions.map(({ key }) => TAG_OF_CLUSTER.exec(key)?.[1]).find(isDefinite) ??
    arns
      .filter((parts) => parts[2] === 'eks')
      .map((parts) => parts[5]?.replace(/^cluster\//, ''))
      .find(isDefinite) ??
    'cluster';
  const services = conditions.filter(({ key }) => key.toLowerCase() === 'iam:passedtoservice');
  const placeholder = services.flatMap(({ values }) => values).find((value) => value.startsWith('ec2.${'));
  return {
    ec2Service: placeholder ?? (partition === 'aws-cn' ? 'ec2.amazonaws.com.cn' : 'ec2.amazonaws.com'),
    partition,
    region,
    account,
    clusterName: cluster,
    nodeRole:
      definiteResource(statements, 'iam:PassRole') ??
      `arn:${partition}:iam::${account}:role/KarpenterNodeRole-${cluster}`,
    queue: definiteResource(statements, 'sqs:ReceiveMessage') ?? `arn:${partition}:sqs:${region}:${account}:${cluster}`,
  };
}

const ARN_PARTS = 6;
const HIDDEN = '\u0000';

/** Placeholders of CloudFormation have colons, too: `${AWS::Region}`. */
function partsOfArn(arn: string): readonly string[] {
  const hidden = arn.replaceAll(/\$\{[^}]*\}/g, (placeholder) => placeholder.replaceAll(':', HIDDEN));
  const parts = hidden.split(':').map((part) => part.replaceAll(HIDDEN, ':'));
  return parts.length < ARN_PARTS ? parts : [...parts.slice(0, ARN_PARTS - 1), parts.slice(ARN_PARTS - 1).join(':')];
}

function isDefinite(text: string | undefined): text is string {
  return text !== undefined && text !== '' && !/[*?]/.test(text);
}

/** A role or a queue may have any name: it is the one that the statement with this action is about. */
function definiteResource(statements: readonly PolicyStatement[], action: string): string | undefined {
  const about = statements.filter(
    ({ effect, actions }) =>
      effect === 'Allow' && actions.patterns.some((one) => one.toLowerCase() === action.toLowerCase()),
  );
  return about.flatMap(({ resources }) => (resources.isExcluding ? [] : resources.patterns)).find(isDefinite);
}
