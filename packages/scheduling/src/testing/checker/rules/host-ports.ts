import type { Pod } from '@karpenter-ts/kubernetes';
import { podId, podName } from '../../../model/pods/pod-id.ts';
import { daemonsOnType } from '../daemons.ts';
import type { Rule } from '../rule.ts';

/** No two pods of a node want the same port of the host: those placed, those there, and a type's daemons (§13). */
export const hostPortsFree: Rule = (checked) => [
  ...checked.existing.flatMap(({ hostname, node, placed }) =>
    clashes(
      placed.map(({ pod }) => pod),
      node.pods,
    ).map((pod) => `a host port of ${podName(pod)} is taken on ${hostname}`),
  ),
  ...checked.planned.flatMap((target) =>
    target.types.flatMap((type) =>
      clashes(
        target.placed.map(({ pod }) => pod),
        daemonsOnType(checked, target.pool, type),
      ).map((pod) => `a host port of ${podName(pod)} is taken on ${target.hostname} as ${type.name}`),
    ),
  ),
];

/** The newcomers that clash with a pod before them. */
function clashes(newcomers: readonly Pod[], present: readonly Pod[]): readonly Pod[] {
  return newcomers.filter((pod, index) =>
    [...present, ...newcomers.slice(0, index)].some((other) => podId(other) !== podId(pod) && clash(pod, other)),
  );
}

interface HostPort {
  readonly port: number;
  readonly ip: string;
  readonly protocol: string;
}

function clash(a: Pod, b: Pod): boolean {
  return hostPortsOf(a).some((one) => hostPortsOf(b).some((other) => isSamePort(one, other)));
}

function hostPortsOf({ spec }: Pod): readonly HostPort[] {
  return (spec.containers ?? []).flatMap(({ ports = [] }) =>
    ports
      .filter(({ hostPort }) => hostPort)
      .map(({ hostPort = 0, hostIP, protocol }) => ({
        port: hostPort,
        ip: hostIP || '0.0.0.0',
        protocol: protocol || 'TCP',
      })),
  );
}

function isSamePort(a: HostPort, b: HostPort): boolean {
  if (a.port !== b.port || a.protocol !== b.protocol) return false;
  return a.ip === b.ip || [a.ip, b.ip].some((ip) => ip === '0.0.0.0' || ip === '::');
}
