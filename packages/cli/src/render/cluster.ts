import { METHODS, type MethodName } from '@karpenter-ts/core';
import type {
  ClusterDocument,
  CommandEntry,
  ExpirationEntry,
  FixedPointEntry,
  ReplacementEntry,
} from '../plan/cluster-document.ts';
import { renderPlan } from './plan.ts';
import { printableLine } from './printable.ts';

/** For people: what would be done and what it saves, why the other nodes stay, and what budgets allow. */
export function renderCluster(document: ClusterDocument): string {
  const { provision, expirations, fixedPoint, synced, loop } = document;
  const sections: readonly (readonly string[])[] = [
    synced
      ? []
      : ['The cluster is not in sync: a NodeClaim has no instance yet, and nothing is disrupted until it has.'],
    loop === undefined ? [] : commandLines(document),
    provision === undefined ? [] : ['Pending pods:', ...indented(renderPlan(provision, unplacedLines(provision)))],
    expirations === undefined ? [] : expirationLines(expirations),
    loop === undefined ? [] : stayLines(document),
    loop === undefined ? [] : budgetLines(document),
    fixedPoint === undefined ? [] : walkLines(fixedPoint),
  ];
  const told = sections.filter((lines) => lines.length > 0);
  return `${told.map((lines) => lines.map(printableLine).join('\n')).join('\n\n')}\n`;
}

function commandLines({ methods, loop, pricePerHour }: ClusterDocument): readonly string[] {
  const lines = [`The nodes cost ${price(pricePerHour)} now.`];
  const commands = Object.entries(methods).flatMap(([method, { command }]) => (command ? [{ method, command }] : []));
  if (commands.length === 0) return [...lines, 'No node would be disrupted.'];
  for (const [index, { method, command }] of commands.entries()) {
    const first = loop?.method === method ? ', starts first' : '';
    const { reason } = METHODS[method as MethodName];
    lines.push(`${index + 1}. ${method} (${reason})${first}: ${describeCommand(command)}`);
    lines.push(...command.replacements.map((one) => `   for ${describeReplacement(one)}`));
    for (const [node, pods] of Object.entries(command.podsToExisting ?? {})) {
      lines.push(`   ${count(pods.length, 'pod')} to ${node}`);
    }
    if (command.validation.includes(':')) lines.push(`   given up after 15 s: ${command.validation}`);
    if (command.validated !== undefined) lines.push(`   after 15 s only ${command.validated.join(', ')}`);
  }
  return lines;
}

function describeCommand({ decision, candidates, savings }: CommandEntry): string {
  const change = savings < 0 ? `costs ${price(-savings)} more` : `saves ${price(savings)}`;
  return `${decision} ${candidates.join(', ')}: ${change}`;
}

function describeReplacement({
  nodePool,
  instanceTypes,
  typeCount,
  pricePerHour,
  pods = [],
}: ReplacementEntry): string {
  const [cheapest = '', ...others] = instanceTypes;
  const types = others.length === 0 ? cheapest : `${cheapest} or ${count(typeCount - 1, 'other type')}`;
  return `${nodePool} ${types} from ${price(pricePerHour)} with ${count(pods.length, 'pod')}`;
}

/** The reasons are in the document; here each pod has one line. */
function unplacedLines({ unschedulable }: NonNullable<ClusterDocument['provision']>): readonly string[] {
  return unschedulable.map(({ pod, reason }) => `no place for ${pod}: ${reason}`);
}

function expirationLines(expirations: readonly ExpirationEntry[]): readonly string[] {
  if (expirations.length === 0) return ['No node expires.'];
  const expired = expirations.filter((one) => one.expired);
  const next = expirations.find((one) => !one.expired);
  const name = ({ node, nodeClaim }: ExpirationEntry): string => node ?? nodeClaim;
  return [
    ...expired.map(
      (one) => `${name(one)} of ${one.nodePool} expired at ${one.expiresAt}: it is deleted whatever else holds`,
    ),
    ...(next === undefined ? [] : [`${name(next)} of ${next.nodePool} expires next, at ${next.expiresAt}`]),
  ];
}

function stayLines({ stays = {} }: ClusterDocument): readonly string[] {
  const entries = Object.entries(stays);
  if (entries.length === 0) return [];
  return ['These nodes stay:', ...entries.map(([node, texts]) => `  ${node}: ${texts.join('; ')}`)];
}

function budgetLines({ budgets }: ClusterDocument): readonly string[] {
  const lines = Object.entries(budgets).flatMap(([reason, pools]) =>
    Object.entries(pools).map(([pool, { allowed, disrupting, remaining }]) =>
      allowed >= UNLIMITED
        ? `  ${pool}, ${reason}: no limit`
        : `  ${pool}, ${reason}: ${allowed} allowed, ${disrupting} disrupting, ${remaining} left`,
    ),
  );
  return lines.length === 0 ? [] : ['Budgets now:', ...lines];
}

const UNLIMITED = 2 ** 31 - 1;

function walkLines(walk: FixedPointEntry): readonly string[] {
  const { steps, settledPrice, settledNodes, endPrice, nodes, pendingPods, complete, cycle } = walk;
  const saved = settledPrice > 0 ? `, ${(100 * (1 - endPrice / settledPrice)).toFixed(1)} % less` : '';
  return [
    `Until nothing changes, ${count(walk.commands, 'command')}:`,
    ...steps.map(({ method, decision, candidates, launched = [], pricePerHour }, index) => {
      const bought = launched.length === 0 ? '' : ` for ${launched.join(', ')}`;
      return `  ${index + 1}. ${method}: ${decision} ${candidates.join(', ')}${bought}: ${price(pricePerHour)} afterwards`;
    }),
    `${count(settledNodes, 'node')} at ${price(settledPrice)} before, ${count(nodes, 'node')} at ${price(endPrice)} after${saved}`,
    ...(pendingPods > 0 ? [`${count(pendingPods, 'pod')} without a place`] : []),
    ...(cycle ? ['It does not end: a node is removed and the same one bought again.'] : []),
    ...(complete || cycle ? [] : ['It was stopped there: more commands would follow.']),
  ];
}

function indented(text: string): readonly string[] {
  return text
    .trimEnd()
    .split('\n')
    .map((line) => `  ${line}`);
}

function count(amount: number, noun: string): string {
  return `${amount} ${noun}${amount === 1 ? '' : 's'}`;
}

function price(perHour: number): string {
  return `$${perHour.toFixed(4)} an hour`;
}
