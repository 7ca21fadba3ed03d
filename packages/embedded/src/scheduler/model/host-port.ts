import type { PodSpec } from '@karpenter-ts/kubernetes';

/** A port of the node itself. */
export interface HostPort {
  /** Protocol and number: two that differ in it never conflict. */
  readonly port: string;
  readonly ip: string;
}

const EVERY_IP = '0.0.0.0';

/** The host ports of containers that run as long as the pod does. */
export function hostPorts({ initContainers = [], containers = [] }: PodSpec): readonly HostPort[] {
  const running = [...initContainers.filter(({ restartPolicy }) => restartPolicy === 'Always'), ...containers];
  const ports: HostPort[] = [];
  for (const { ports: declared = [] } of running) {
    for (const { hostPort = 0, hostIP, protocol } of declared) {
      if (hostPort > 0) ports.push({ port: `${protocol || 'TCP'}/${hostPort}`, ip: hostIP || EVERY_IP });
    }
  }
  return ports;
}

/** Two uses of a port conflict when they share an address; every address shares all. */
export function isPortConflict(a: HostPort, b: HostPort): boolean {
  return a.port === b.port && (a.ip === b.ip || a.ip === EVERY_IP || b.ip === EVERY_IP);
}
