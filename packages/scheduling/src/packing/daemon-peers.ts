import { HOSTNAME_LABEL } from '@karpenter-ts/apis';
import type { HostPort } from '../failure.ts';
import { portsConflict } from '../model/pods/host-ports.ts';
import { selects, type TopologyRule } from '../topology/rule.ts';
import type { TopologyRules } from '../topology/topology-rules.ts';
import type { Daemon } from './daemon.ts';
import type { PodKind } from '../model/pods/pod-class.ts';

/** What keeps pods and daemons from sharing a node, requests aside. */
export interface DaemonNeighbour {
  readonly ports: readonly HostPort[];
  /** Daemons that cannot run beside it. */
  readonly avoided: readonly Daemon[];
}

/**
 * Which daemons cannot run beside which pods, by required anti-affinity of either side. A daemon that will run on a node
 * is in all domains of that node, so the topology key of a term does not matter there. Upstream does not look at this: it
 * buys nodes on which the pod never runs.
 */
export class DaemonPeers {
  readonly #daemons: readonly { readonly daemon: Daemon; readonly repelling: readonly TopologyRule[] }[];
  readonly #topologyRules: TopologyRules;
  readonly #byKind: (readonly Daemon[] | undefined)[] = [];

  /** `wellKnown` are the labels that every node has. */
  constructor(daemons: readonly Daemon[], topologyRules: TopologyRules, wellKnown: ReadonlySet<string>) {
    this.#topologyRules = topologyRules;
    this.#daemons = daemons.map((daemon) => {
      const repelling = topologyRules
        .inverse(daemon.kind)
        .filter(({ key }) => key === HOSTNAME_LABEL || wellKnown.has(key));
      return { daemon, repelling };
    });
  }

  /** Daemons that must not be where pods of a kind are to run. */
  avoidedBy(kind: PodKind): readonly Daemon[] {
    if (this.#daemons.length === 0) return NONE;
    this.#byKind[kind.id] ??= this.#find(kind);
    return this.#byKind[kind.id]!;
  }

  #find(kind: PodKind): readonly Daemon[] {
    const rules = this.#topologyRules.inverse(kind);
    const avoided = this.#daemons.filter(
      ({ daemon, repelling }) =>
        rules.some((rule) => selects(rule, daemon.kind.identity)) ||
        repelling.some((rule) => selects(rule, kind.identity)),
    );
    return avoided.length === 0 ? NONE : avoided.map(({ daemon }) => daemon);
  }
}

const NONE: readonly Daemon[] = [];

/** Equal for pods that keep away from the same ports and daemons. */
export function neighbourText({ ports, avoided }: DaemonNeighbour): string {
  const taken = ports.length === 0 ? '' : JSON.stringify(ports);
  return avoided.length === 0 ? taken : `${taken} ${avoided.map(({ id }) => id).join()}`;
}

/** Whether a pod cannot run where these daemons do. */
export function clashes(
  { ports, avoided }: DaemonNeighbour,
  group: { readonly ports: readonly HostPort[]; readonly daemons: readonly Daemon[] },
): boolean {
  return portsConflict(ports, group.ports) || avoided.some((daemon) => group.daemons.includes(daemon));
}
