// The filters of kube-scheduler's default profile, written from the Kubernetes documentation on plain objects. They share
// no code with the planner and none with its checker: a misreading of a rule there is not repeated here.
import {
  labelSelectorFrom,
  type LabelSelectorSpec,
  matchesLabels,
  type NodeSelectorRequirement,
  type NodeSelectorTerm,
  parseQuantity,
  type Pod,
  type PodAffinityTerm,
  type Taint,
  type TopologySpreadConstraint,
} from '@karpenter-ts/kubernetes';
import type { Namespace, Volumes } from '../../snapshot.ts';

type Labels = Readonly<Record<string, string>>;

/** A Node as kube-scheduler sees it, with the pods bound to it so far. */
export interface SimulatedNode {
  readonly name: string;
  readonly labels: Labels;
  readonly taints: readonly Taint[];
  /** In kube-scheduler's integers: milli-units of cpu, whole units of everything else. */
  readonly allocatable: ReadonlyMap<string, bigint>;
  readonly pods: Pod[];
}

/** All that the filters read. */
export interface SimulatedCluster {
  readonly nodes: readonly SimulatedNode[];
  readonly namespaces: readonly Namespace[];
  readonly volumes: Volumes;
}

/** Why the node does not take the pod, whatever other nodes hold; `undefined` if it does. */
export function nodeRefusal(pod: Pod, node: SimulatedNode, cluster: SimulatedCluster): string | undefined {
  if (!matchesNodeRules(pod, node.labels)) return "node(s) didn't match Pod's node affinity/selector";
  const taint = node.taints.find((one) => one.effect !== 'PreferNoSchedule' && !isTolerated(pod, one));
  if (taint !== undefined) return `untolerated taint ${taint.key}`;
  return resourceRefusal(pod, node) ?? portRefusal(pod, node) ?? volumeRefusal(pod, node, cluster);
}

/** Why pods elsewhere keep the pod from the node now; `undefined` if they do not. */
export function peerRefusal(pod: Pod, node: SimulatedNode, cluster: SimulatedCluster): string | undefined {
  return affinityRefusal(pod, node, cluster) ?? spreadRefusal(pod, node, cluster);
}

/** `nodeSelector` and required node affinity: all of the selector, and one of the terms. */
export function matchesNodeRules({ spec }: Pod, labels: Labels): boolean {
  const selected = Object.entries(spec.nodeSelector ?? {}).every(([key, value]) => labelOf(labels, key) === value);
  const terms = spec.affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution?.nodeSelectorTerms;
  return selected && (terms === undefined || terms.some((term) => matchesTerm(term, labels)));
}

/** Every expression holds; a term without expressions matches nothing. */
function matchesTerm({ matchExpressions = [] }: NodeSelectorTerm, labels: Labels): boolean {
  return (
    matchExpressions.length > 0 && matchExpressions.every((one) => matchesExpression(one, labelOf(labels, one.key)))
  );
}

/** A node without the label meets `NotIn` and `DoesNotExist`, and nothing else. */
export function matchesExpression(
  { operator, values = [] }: NodeSelectorRequirement,
  label: string | undefined,
): boolean {
  switch (operator) {
    case 'In':
      return label !== undefined && values.includes(label);
    case 'NotIn':
      return label === undefined || !values.includes(label);
    case 'Exists':
      return label !== undefined;
    case 'DoesNotExist':
      return label === undefined;
    case 'Gt':
      return isInteger(label) && BigInt(label) > BigInt(values[0]!);
    case 'Lt':
      return isInteger(label) && BigInt(label) < BigInt(values[0]!);
    default:
      throw new Error(`unknown operator ${operator}`);
  }
}

function isInteger(label: string | undefined): label is string {
  return label !== undefined && /^-?\d+$/.test(label);
}

export function isTolerated({ spec }: Pod, taint: Taint): boolean {
  return (spec.tolerations ?? []).some(({ key, operator = 'Equal', value = '', effect }) => {
    if (effect !== undefined && effect !== '' && effect !== taint.effect) return false;
    if (key === undefined || key === '') return operator === 'Exists';
    return key === taint.key && (operator === 'Exists' || value === (taint.value ?? ''));
  });
}

/** What a pod of plain containers and init containers asks for, in kube-scheduler's integers; the pod itself is one of `pods`. */
export function requestsOf({ spec }: Pod): ReadonlyMap<string, bigint> {
  const total = new Map<string, bigint>();
  for (const { resources } of spec.containers ?? []) {
    for (const [name, amount] of amountsOf(resources?.requests)) total.set(name, (total.get(name) ?? 0n) + amount);
  }
  for (const { resources } of spec.initContainers ?? []) {
    for (const [name, amount] of amountsOf(resources?.requests)) {
      if (amount > (total.get(name) ?? 0n)) total.set(name, amount);
    }
  }
  return total.set('pods', 1n);
}

/** Quantities as the integers kube-scheduler compares, rounded up. */
export function amountsOf(list: Readonly<Record<string, string | number>> = {}): ReadonlyMap<string, bigint> {
  return new Map(
    Object.entries(list).map(([name, quantity]) => {
      const unit = name === 'cpu' ? 1_000_000n : 1_000_000_000n;
      return [name, (parseQuantity(quantity).nanos + unit - 1n) / unit];
    }),
  );
}

function resourceRefusal(pod: Pod, node: SimulatedNode): string | undefined {
  const used = new Map<string, bigint>();
  for (const one of [...node.pods, pod]) {
    for (const [name, amount] of requestsOf(one)) used.set(name, (used.get(name) ?? 0n) + amount);
  }
  for (const [name, amount] of requestsOf(pod)) {
    if (amount > 0n && used.get(name)! > (node.allocatable.get(name) ?? 0n)) return `Insufficient ${name}`;
  }
  return undefined;
}

function portRefusal(pod: Pod, node: SimulatedNode): string | undefined {
  const taken = node.pods.flatMap(hostPortsOf);
  const clash = hostPortsOf(pod).find((wanted) =>
    taken.some(
      (one) =>
        one.port === wanted.port &&
        one.protocol === wanted.protocol &&
        (one.ip === wanted.ip || one.ip === '0.0.0.0' || wanted.ip === '0.0.0.0'),
    ),
  );
  return clash && `host port ${clash.port} is taken`;
}

function hostPortsOf({ spec }: Pod) {
  return (spec.containers ?? [])
    .flatMap(({ ports = [] }) => ports)
    .flatMap(({ hostPort, hostIP, protocol = 'TCP' }) =>
      hostPort ? [{ port: hostPort, ip: hostIP === undefined || hostIP === '' ? '0.0.0.0' : hostIP, protocol }] : [],
    );
}

/** A bound volume must be reachable from the node. */
function volumeRefusal(pod: Pod, { labels }: SimulatedNode, { volumes }: SimulatedCluster): string | undefined {
  for (const { persistentVolumeClaim } of pod.spec.volumes ?? []) {
    const claim = volumes.volumeClaims.find(
      ({ metadata }) => metadata.name === persistentVolumeClaim?.claimName && metadata.namespace === namespaceOf(pod),
    );
    const volume = volumes.persistentVolumes.find(({ metadata }) => metadata.name === claim?.spec.volumeName);
    const terms = volume?.spec.nodeAffinity?.required?.nodeSelectorTerms;
    if (terms !== undefined && !terms.some((term) => matchesTerm(term, labels))) return 'volume node affinity conflict';
  }
  return undefined;
}

/**
 * Inter-pod affinity. One pod that matches all required terms counts for each of them. If there is none in the whole
 * cluster, the first pod that matches its own terms may go to any node that has the topology keys.
 */
function affinityRefusal(pod: Pod, node: SimulatedNode, cluster: SimulatedCluster): string | undefined {
  const bound = cluster.nodes.flatMap((on) => on.pods.map((one) => ({ pod: one, on })));
  const near = pod.spec.affinity?.podAffinity?.requiredDuringSchedulingIgnoredDuringExecution ?? [];
  const matchesAll = (one: Pod) => near.every((term) => selects(term, pod, one, cluster.namespaces));
  if (near.some(({ topologyKey }) => labelOf(node.labels, topologyKey) === undefined))
    return 'no topology key of an affinity';
  const matching = bound.filter((one) => matchesAll(one.pod));
  const isMet = near.every(({ topologyKey }) => matching.some(({ on }) => sharesDomain(on, node, topologyKey)));
  const isAnyMatching = matching.some(({ on }) =>
    near.some(({ topologyKey }) => labelOf(on.labels, topologyKey) !== undefined),
  );
  if (near.length > 0 && !isMet && (isAnyMatching || !matchesAll(pod)))
    return "node(s) didn't match pod affinity rules";
  const away = pod.spec.affinity?.podAntiAffinity?.requiredDuringSchedulingIgnoredDuringExecution ?? [];
  const violatesOwn = (one: Pod, on: SimulatedNode) =>
    away.some((term) => selects(term, pod, one, cluster.namespaces) && sharesDomain(on, node, term.topologyKey));
  if (bound.some((one) => violatesOwn(one.pod, one.on))) return "node(s) didn't match pod anti-affinity rules";
  const violatesTheirs = (one: Pod, on: SimulatedNode) =>
    (one.spec.affinity?.podAntiAffinity?.requiredDuringSchedulingIgnoredDuringExecution ?? []).some(
      (term) => selects(term, one, pod, cluster.namespaces) && sharesDomain(on, node, term.topologyKey),
    );
  if (bound.some((one) => violatesTheirs(one.pod, one.on)))
    return "node(s) didn't satisfy existing pods anti-affinity rules";
  return undefined;
}

function sharesDomain(a: SimulatedNode, b: SimulatedNode, key: string): boolean {
  const value = labelOf(a.labels, key);
  return value !== undefined && value === labelOf(b.labels, key);
}

/** Whether a term of `owner` selects the pod. No selector selects nothing, an empty one everything. */
export function selects(term: PodAffinityTerm, owner: Pod, pod: Pod, namespaces: readonly Namespace[]): boolean {
  const { namespaceSelector, namespaces: named = [], labelSelector } = term;
  const own = namespaceSelector === undefined && named.length === 0 ? [namespaceOf(owner)] : named;
  const isNamespaceSelected =
    own.includes(namespaceOf(pod)) ||
    (namespaceSelector !== undefined &&
      matches(namespaceSelector, namespaces.find(({ name }) => name === namespaceOf(pod))?.labels ?? {}));
  return isNamespaceSelected && matches(labelSelector, pod.metadata.labels);
}

function matches(selector: LabelSelectorSpec | undefined, labels: Labels | undefined): boolean {
  return matchesLabels(labelSelectorFrom(selector), labels);
}

/** Pod topology spread: the hard constraints, each counted over the nodes that the pod could use. */
function spreadRefusal(pod: Pod, node: SimulatedNode, cluster: SimulatedCluster): string | undefined {
  const constraints = (pod.spec.topologySpreadConstraints ?? []).filter(
    ({ whenUnsatisfiable }) => whenUnsatisfiable === 'DoNotSchedule',
  );
  const keys = constraints.map(({ topologyKey }) => topologyKey);
  for (const constraint of constraints) {
    const { topologyKey, maxSkew, minDomains = 1 } = constraint;
    const domain = labelOf(node.labels, topologyKey);
    if (domain === undefined) return `no label ${topologyKey} to spread over`;
    const selector = labelSelectorFrom(withMatchLabelKeys(constraint, pod));
    const isCounted = (one: Pod) =>
      namespaceOf(one) === namespaceOf(pod) &&
      one.metadata.deletionTimestamp === undefined &&
      matchesLabels(selector, one.metadata.labels);
    const counts = new Map<string, number>();
    for (const on of cluster.nodes) {
      if (!isEligible(pod, on, constraint) || keys.some((key) => labelOf(on.labels, key) === undefined)) continue;
      const value = labelOf(on.labels, topologyKey)!;
      counts.set(value, (counts.get(value) ?? 0) + on.pods.filter(isCounted).length);
    }
    const fewest = counts.size < minDomains ? 0 : Math.min(...counts.values());
    const itself = matchesLabels(selector, pod.metadata.labels) ? 1 : 0;
    const skew = (counts.get(domain) ?? 0) + itself - fewest;
    if (skew > maxSkew) return `${topologyKey} ${domain} would be ${skew} ahead, more than ${maxSkew}`;
  }
  return undefined;
}

/** Whether the constraint looks at the node: its policies say so, node affinity is honoured by default and taints are not. */
function isEligible(pod: Pod, { labels, taints }: SimulatedNode, constraint: TopologySpreadConstraint): boolean {
  const { nodeAffinityPolicy = 'Honor', nodeTaintsPolicy = 'Ignore' } = constraint;
  if (nodeAffinityPolicy === 'Honor' && !matchesNodeRules(pod, labels)) return false;
  const isBarred = taints.some((one) => one.effect !== 'PreferNoSchedule' && !isTolerated(pod, one));
  return nodeTaintsPolicy !== 'Honor' || !isBarred;
}

function withMatchLabelKeys(
  { labelSelector, matchLabelKeys = [] }: TopologySpreadConstraint,
  { metadata: { labels = {} } }: Pod,
): LabelSelectorSpec | undefined {
  if (labelSelector === undefined) return undefined;
  const own = matchLabelKeys.filter((key) => labelOf(labels, key) !== undefined);
  const added = own.map((key) => ({ key, operator: 'In', values: [labels[key]!] }));
  return { ...labelSelector, matchExpressions: [...(labelSelector.matchExpressions ?? []), ...added] };
}

function namespaceOf({ metadata }: Pod): string {
  return metadata.namespace ?? 'default';
}

function labelOf(labels: Labels, key: string): string | undefined {
  return Object.hasOwn(labels, key) ? labels[key] : undefined;
}
