// What a controller has made of a guide, in a form in which two controllers can be laid side by side: names and times
// that are different in every run are replaced, and what has no order is sorted.
import type { Ec2Instance } from '@karpenter-ts/aws-emulator';
import { isJsonArray, isJsonObject, type Json, type JsonObject } from '@karpenter-ts/kubernetes';
import type { Outcome } from '../aws-guides/guide.ts';
import type { AwsCall } from '../operator/aws-cloud.ts';

/** Lists of what is compared, each by what it is a list of, such as `ec2 CreateFleet`. */
export type Recording = Readonly<Record<string, readonly Json[]>>;

/** The requests that launch, tag and clean up, all of them. How often and what else is asked is a controller's own. */
const COMPARED_CALLS: ReadonlySet<string> = new Set([
  'ec2 CreateFleet',
  'ec2 CreateLaunchTemplate',
  'ec2 CreateTags',
  'ec2 RunInstances',
  'iam AddRoleToInstanceProfile',
  'iam CreateInstanceProfile',
  'iam DeleteInstanceProfile',
  'iam RemoveRoleFromInstanceProfile',
]);

/** `calls` are those of the whole run: the guide's are picked from them. */
export function recordGuide(outcome: Outcome, calls: readonly AwsCall[]): Recording {
  const { nodeClass, nodes } = outcome;
  const own = calls.filter((call) => COMPARED_CALLS.has(nameOf(call)) && isAbout(call, outcome));
  const names = namesIn(outcome, own);
  const simplify = simplifier(names);
  const simplifyProbe = simplifier(names, withoutType);
  const recorded: Record<string, readonly Json[]> = {
    EC2NodeClass: [simplify(nodeClass)],
    NodeClaim: nodes.map(({ nodeClaim }) => simplify(nodeClaim)),
    Node: nodes.map(({ node }) => simplify(nodeFacts(node))),
    instance: nodes.map(({ instance }) => simplify(instanceFacts(instance))),
  };
  for (const call of own) {
    const [name, item] = isProbe(call)
      ? [`validation: ${nameOf(call)}`, simplifyProbe(call.input)]
      : [nameOf(call), simplify(call.input)];
    recorded[name] = [...(recorded[name] ?? []), item];
  }
  return Object.fromEntries(Object.entries(recorded).map(([name, items]) => [name, distinct(items)]));
}

function nameOf({ service, operation }: AwsCall): string {
  return `${service} ${operation}`;
}

/** A class is validated by dry runs, and by a launch template that belongs to no pool. */
function isProbe({ input }: AwsCall): boolean {
  const ofNoPool = JSON.stringify({ Key: 'karpenter.sh/nodepool', Value: '' });
  return (input as { readonly DryRun?: boolean }).DryRun === true || JSON.stringify(input).includes(ofNoPool);
}

/** Any of the types that fit will do for a validation, and whatever subnet comes first: upstream takes them at random. */
function withoutType(text: string, key: string): string {
  if (key === 'InstanceType') return '<type>';
  if (key === 'SubnetId') return '<subnet>';
  return key === 'UserData' ? text.replace(/(max-?pods["']? ?[=:]) ?\d+/gi, '$1 <pods of the type>') : text;
}

/** A request names the class in its tags, or what is the class's: its profile or its instances. */
function isAbout({ input }: AwsCall, { nodeClass, nodes }: Outcome): boolean {
  const text = JSON.stringify(input);
  const { metadata, status } = nodeClass;
  const tag = JSON.stringify({ Key: 'karpenter.k8s.aws/ec2nodeclass', Value: metadata.name });
  const own = [tag, `"${status?.instanceProfile}"`, ...nodes.map(({ instance }) => instance.id)];
  return own.some((each) => text.includes(each));
}

/** What is named by chance, and what to write for it. */
function namesIn({ nodeClass, nodes }: Outcome, calls: readonly AwsCall[]): readonly (readonly [string, string])[] {
  const templates = calls.flatMap(({ operation, input }): [string, string][] => {
    if (operation !== 'CreateLaunchTemplate') return [];
    const { LaunchTemplateName: name, LaunchTemplateData: data } = input as {
      readonly LaunchTemplateName: string;
      readonly LaunchTemplateData: { readonly ImageId: string };
    };
    return [[name, `<template with ${data.ImageId}>`]];
  });
  const named = nodes.flatMap(({ nodeClaim, node, instance }): [string, string][] => [
    [nodeClaim.metadata.name, '<NodeClaim>'],
    [nodeClaim.metadata.uid ?? '', '<uid of NodeClaim>'],
    [node.metadata.name, '<Node>'],
    [instance.id, '<instance>'],
  ]);
  const { metadata, spec, status } = nodeClass;
  const profile: [string, string][] =
    spec?.instanceProfile === undefined ? [[status?.instanceProfile ?? '', '<profile>']] : [];
  return [...templates, ...named, ...profile, [metadata.uid ?? '', '<uid>'] as const].filter(([name]) => name !== '');
}

function nodeFacts({ metadata, spec, status }: Outcome['nodes'][number]['node']): object {
  const { labels, annotations, finalizers } = metadata;
  const { capacity, allocatable } = status ?? {};
  return { labels, annotations, finalizers, taints: spec?.taints ?? [], capacity, allocatable };
}

function instanceFacts({ instanceType, imageName, zone, lifecycle, subnetId, tags, reservedIn }: Ec2Instance): object {
  const own = [...tags].filter(([key]) => !key.startsWith('aws:'));
  return { instanceType, imageName, zone: zone.name, lifecycle, subnetId, reservedIn, tags: Object.fromEntries(own) };
}

/** Members that are different each time, or bookkeeping of the API server. */
const DROPPED: ReadonlySet<string> = new Set([
  'ClientToken',
  'creationTimestamp',
  'generation',
  'lastPodEventTime',
  'lastTransitionTime',
  'managedFields',
  'observedGeneration',
  'resourceVersion',
  'uid',
]);

/** `adapt` changes texts further, by the name of their member. */
function simplifier(
  names: readonly (readonly [string, string])[],
  adapt: (text: string, key: string) => string = (text) => text,
): (value: object) => Json {
  const replaced = [...names].sort(([a], [b]) => b.length - a.length);
  const rename = (text: string): string => replaced.reduce((all, [name, by]) => all.replaceAll(name, by), text);
  const textOf = (text: string, key: string): Json => {
    if (key !== 'UserData') return adapt(rename(text), key);
    return userDataLines(adapt(rename(Buffer.from(text, 'base64').toString('utf8')), key));
  };
  const simplify = (value: Json, key = ''): Json => {
    if (typeof value === 'string') return textOf(value, key);
    if (isJsonArray(value)) return listOf(value.map((item) => simplify(item, key)));
    if (!isJsonObject(value)) return value;
    const members = Object.entries(value).flatMap(([name, member]): [string, Json][] =>
      DROPPED.has(name) || member === undefined ? [] : [[rename(name), simplify(member, name)]],
    );
    return Object.fromEntries(members.sort(([a], [b]) => (a < b ? -1 : 1)));
  };
  return (value) => simplify(JSON.parse(JSON.stringify(value)) as JsonObject);
}

/** Conditions by their type, tags and requirements by their key; other lists are sorted. */
function listOf(items: readonly Json[]): Json {
  for (const name of ['type', 'Key', 'key']) {
    const keys = items.map((item) => (isJsonObject(item) ? item[name] : undefined));
    const isKeyed =
      keys.length > 0 && keys.every((key) => typeof key === 'string') && new Set(keys).size === keys.length;
    if (isKeyed) return Object.fromEntries(sorted(items).map((item) => [(item as JsonObject)[name] as string, item]));
  }
  return sorted(items);
}

/** The lines of TOML have no order, and two ways to quote; those of all others are as they are. */
function userDataLines(text: string): readonly Json[] {
  const lines = text.split('\n');
  const isToml = lines.some((line) => line.startsWith('[settings'));
  return isToml ? tomlLines(lines) : lines;
}

/** Each with the table that it is in. */
function tomlLines(lines: readonly string[]): readonly string[] {
  let table = '';
  const told: string[] = [];
  for (const line of lines.map((each) =>
    each
      .replaceAll("'", '"')
      .replaceAll(/\[ | \]/g, (bracket) => bracket.trim())
      .trim(),
  )) {
    if (line.startsWith('[')) table = line.replaceAll('"', '');
    else if (line !== '') told.push(`${table} ${line.replace(/^"([\w-]+)" =/, '$1 =')}`);
  }
  return told.sort();
}

function sorted(items: readonly Json[]): readonly Json[] {
  return items
    .map((item) => [JSON.stringify(item), item] as const)
    .sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0))
    .map(([, item]) => item);
}

/** Each once: a request that is repeated until it succeeds says the same each time. */
function distinct(items: readonly Json[]): readonly Json[] {
  return sorted([...new Map(items.map((item) => [JSON.stringify(item), item])).values()]);
}
