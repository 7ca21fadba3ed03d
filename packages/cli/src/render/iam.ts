import type { CheckedCapability, CheckedPolicies, Lack } from '../iam/check-policies.ts';
import { printableJson, printableLine } from './printable.ts';

/** For programs. Fields are only ever added. */
export function renderPoliciesJson(checked: CheckedPolicies): string {
  return `${printableJson(JSON.stringify({ apiVersion: 'karpenter-ts.dev/v1', ...checked }, undefined, 2))}\n`;
}

/** For people: a line for each thing that the controller does, and what is to be added for it. */
export function renderPoliciesText({ clusterName, region, capabilities }: CheckedPolicies): string {
  const isLacking = ({ covered }: CheckedCapability): boolean => !covered;
  const required = capabilities.filter((one) => one.alwaysOn);
  const optional = capabilities.filter((one) => !one.alwaysOn);
  const lines = [
    `policies for the cluster ${clusterName} in ${region}`,
    ...capabilities.flatMap(capabilityLines),
    `${capabilities.length} capabilities: ${capabilities.filter(({ covered }) => covered).length} covered, ` +
      `${required.filter(isLacking).length} that are always on lack permissions, ` +
      `${optional.filter(isLacking).length} optional ones do`,
  ];
  return `${lines.map(printableLine).join('\n')}\n`;
}

function capabilityLines({ name, when, covered, lacks }: CheckedCapability): readonly string[] {
  if (covered) return [`ok: ${name}`];
  const head = when === undefined ? `error: ${name}` : `warning: ${name} (needed if ${when})`;
  return [head, ...lacks.flatMap(lackLines)];
}

const MOST_RESOURCES = 3;

function lackLines({ action, resources, why, remedy }: Lack): readonly string[] {
  const shown = resources.slice(0, MOST_RESOURCES).join(', ');
  const others = resources.length > MOST_RESOURCES ? ` and ${resources.length - MOST_RESOURCES} other(s)` : '';
  return [
    `    ${action} on ${shown}${others}: ${why}`,
    `    remedy: the statement ${remedy.statement} of deploy/aws/iam/${remedy.file}`,
  ];
}
