import type { HostPort } from '../../failure.ts';
import type { Pod } from '@karpenter-ts/kubernetes';

/** Those of the regular containers (spec 02 §13). */
export function hostPortsOf(pod: Pod): readonly HostPort[] {
  const ports: HostPort[] = [];
  for (const { ports: listed = [] } of pod.spec.containers ?? []) {
    for (const { hostPort, hostIP, protocol } of listed) {
      if (hostPort) ports.push({ ip: hostIP || '0.0.0.0', port: hostPort, protocol: protocol || 'TCP' });
    }
  }
  return ports;
}

/** Whether any of `wanted` is taken by one of `present`, which must belong to other pods. */
export function portsConflict(wanted: readonly HostPort[], present: readonly HostPort[]): boolean {
  return wanted.some((one) => present.some((other) => conflicts(one, other)));
}

const EVERY_ADDRESS: ReadonlySet<string> = new Set(['0.0.0.0', '::']);

function conflicts(a: HostPort, b: HostPort): boolean {
  if (a.port !== b.port || a.protocol !== b.protocol) return false;
  return a.ip === b.ip || EVERY_ADDRESS.has(a.ip) || EVERY_ADDRESS.has(b.ip);
}
