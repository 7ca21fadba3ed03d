// Structural schemas of what files hold about pods, nodes and instance types.
import { CAPACITY_TYPES } from '@karpenter-ts/apis';
import type { StructuralSchema } from '@karpenter-ts/kubernetes';

export const text: StructuralSchema = { type: 'string' };
export const flag: StructuralSchema = { type: 'boolean' };
export const count: StructuralSchema = { type: 'integer', minimum: 0 };
const port: StructuralSchema = { type: 'integer', minimum: 0, maximum: 65_535 };
/** Dollars an hour. More than any instance costs, and any sum of them is a number. */
const price: StructuralSchema = { type: 'number', minimum: 0, maximum: 1_000_000 };
export const texts: StructuralSchema = { type: 'array', items: text };
export const labels: StructuralSchema = { type: 'object', additionalProperties: text };

/** Objects of Kubernetes carry much that planning does not read: it passes unseen. */
export const open = (properties: Readonly<Record<string, StructuralSchema>>, required: readonly string[] = []) =>
  ({ type: 'object', properties, required, 'x-kubernetes-preserve-unknown-fields': true }) satisfies StructuralSchema;

export const closed = (properties: Readonly<Record<string, StructuralSchema>>, required: readonly string[]) =>
  ({ type: 'object', properties, required }) satisfies StructuralSchema;

export const list = (items: StructuralSchema): StructuralSchema => ({ type: 'array', items });

export const quantities: StructuralSchema = {
  type: 'object',
  additionalProperties: {
    anyOf: [{ type: 'integer' }, { type: 'string' }],
    pattern:
      '^(\\+|-)?(([0-9]+(\\.[0-9]*)?)|(\\.[0-9]+))(([KMGTPE]i)|[numkMGTPE]|([eE](\\+|-)?(([0-9]+(\\.[0-9]*)?)|(\\.[0-9]+))))?$',
    'x-kubernetes-int-or-string': true,
  },
};

const expression = (operators: readonly string[]): StructuralSchema =>
  open({ key: text, operator: { type: 'string', enum: operators }, values: texts }, ['key', 'operator']);

export const labelSelector = open({
  matchLabels: labels,
  matchExpressions: list(expression(['In', 'NotIn', 'Exists', 'DoesNotExist'])),
});

export const nodeTerm = open({
  matchExpressions: list(expression(['In', 'NotIn', 'Exists', 'DoesNotExist', 'Gt', 'Lt', 'Gte', 'Lte'])),
});

const topologyKey: StructuralSchema = { type: 'string', minLength: 1 };

const podTerm = open({ labelSelector, namespaceSelector: labelSelector, namespaces: texts, topologyKey }, [
  'topologyKey',
]);

const weighted = (name: string, term: StructuralSchema): StructuralSchema =>
  list(open({ weight: { type: 'integer', minimum: 1, maximum: 100 }, [name]: term }, ['weight', name]));

const podAffinity = open({
  requiredDuringSchedulingIgnoredDuringExecution: list(podTerm),
  preferredDuringSchedulingIgnoredDuringExecution: weighted('podAffinityTerm', podTerm),
});

const affinity = open({
  nodeAffinity: open({
    requiredDuringSchedulingIgnoredDuringExecution: open({ nodeSelectorTerms: list(nodeTerm) }, ['nodeSelectorTerms']),
    preferredDuringSchedulingIgnoredDuringExecution: weighted('preference', nodeTerm),
  }),
  podAffinity,
  podAntiAffinity: podAffinity,
});

const policy: StructuralSchema = { type: 'string', enum: ['Honor', 'Ignore'] };

const spread = open(
  {
    maxSkew: { type: 'integer', minimum: 1 },
    topologyKey,
    whenUnsatisfiable: { type: 'string', enum: ['DoNotSchedule', 'ScheduleAnyway'] },
    labelSelector,
    matchLabelKeys: texts,
    minDomains: { type: 'integer', minimum: 1 },
    nodeAffinityPolicy: policy,
    nodeTaintsPolicy: policy,
  },
  ['maxSkew', 'topologyKey', 'whenUnsatisfiable'],
);

const container = open({
  resources: open({ requests: quantities, limits: quantities }),
  ports: list(open({ hostPort: port, hostIP: text, protocol: text })),
  restartPolicy: text,
});

export const name: StructuralSchema = { type: 'string', minLength: 1 };
export const metadata = open({ name, namespace: text, uid: text, labels }, ['name']);

export const podSpec = open(
  {
    containers: { ...list(container), minItems: 1 },
    initContainers: list(container),
    resources: open({ requests: quantities }),
    overhead: quantities,
    nodeSelector: labels,
    tolerations: list(open({ key: text, operator: text, value: text, effect: text })),
    affinity,
    topologySpreadConstraints: list(spread),
    volumes: list(open({ name: text, persistentVolumeClaim: open({ claimName: text }, ['claimName']) }, ['name'])),
  },
  ['containers'],
);

export const pod = open(
  {
    kind: { type: 'string', enum: ['Pod'] },
    metadata,
    spec: podSpec,
  },
  ['metadata', 'spec'],
);

export const taints = list(open({ key: text, value: text, effect: text }, ['key', 'effect']));

const offering = closed(
  {
    zone: text,
    capacityType: { type: 'string', enum: CAPACITY_TYPES },
    price,
    available: flag,
  },
  ['zone', 'capacityType', 'price'],
);

export const instanceType = closed(
  {
    name,
    capacity: quantities,
    overhead: quantities,
    labels: { type: 'object', additionalProperties: texts },
    offerings: list(offering),
    lastResort: flag,
  },
  ['name', 'capacity', 'offerings'],
);
