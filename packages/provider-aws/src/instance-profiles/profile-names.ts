import {
  CLUSTER_NAME_TAG,
  clusterTag,
  type EC2NodeClass,
  EC2NODECLASS_TAG,
  fnv1,
  REGION_LABEL,
} from '@karpenter-ts/apis';

/** The cluster that instance profiles are made for. Accounts may have many, in many regions. */
export interface ProfileOwner {
  readonly clusterName: string;
  readonly region: string;
}

/** The beginning of the path of all instance profiles that are made for the cluster. */
export function clusterPath({ clusterName, region }: ProfileOwner): string {
  return `/karpenter/${region}/${clusterName}/`;
}

/** The path of the instance profiles of one NodeClass, which is told from others of its name by its UID. */
export function nodeClassPath(owner: ProfileOwner, { metadata }: EC2NodeClass): string {
  return `${clusterPath(owner)}${metadata.uid}/`;
}

/** The name of a new instance profile. `unique` makes it another one each time: a profile is never given another role. */
export function newProfileName(
  { clusterName, region }: ProfileOwner,
  { metadata }: EC2NodeClass,
  unique: string,
): string {
  return `${clusterName}_${hashOf(region + metadata.name + unique)}`;
}

/** The name that Karpenter gave the only instance profile of a NodeClass before it made one for each role. */
export function legacyProfileName({ clusterName, region }: ProfileOwner, { metadata }: EC2NodeClass): string {
  return `${clusterName}_${hashOf(region + metadata.name)}`;
}

const IAM_NAME = /^[\w+=,.@-]{1,128}$/;

/** Whether IAM would take the name of an instance profile; it refuses any question about another. */
export function isIamName(name: string): boolean {
  return IAM_NAME.test(name);
}

/** The tags of an instance profile, which the policy of the controller asks for. */
export function profileTags(
  { clusterName, region }: ProfileOwner,
  { metadata, spec }: EC2NodeClass,
): Readonly<Record<string, string>> {
  return {
    ...spec?.tags,
    [clusterTag(clusterName)]: 'owned',
    [CLUSTER_NAME_TAG]: clusterName,
    [EC2NODECLASS_TAG]: metadata.name,
    [REGION_LABEL]: region,
  };
}

/** The name of a role, which users may write with its path. IAM tells of roles by the name alone. */
export function roleNameOf(role: string): string {
  return role.slice(role.lastIndexOf('/') + 1);
}

function hashOf(text: string): bigint {
  return fnv1(new TextEncoder().encode(text));
}
