import { integer, list, map, object, oneOf, required, type Schema, string } from '../../schema/schema.ts';
import { DURATION } from '../patterns.ts';

const KUBERNETES_VERSION = '^1\\.[0-9]+$';
const RELEASE = '^v[0-9]{8}$';
const INSTANCE_TYPE = '^[a-z0-9-]+\\.[a-z0-9-]+$';
const ZONE = '^[a-z]{2}(-[a-z]+)+-[0-9][a-z]$';
const ROLE = '^[A-Za-z0-9_+=,.@-]{1,64}$';

const zone = string('Name of an availability zone, such as us-east-1a.', { pattern: ZONE });

const publishImages = object('EKS releases images for nodes: from then on they are what @latest names.', {
  kubernetes: string('The version of Kubernetes they are for; that of the cluster unless told.', {
    pattern: KUBERNETES_VERSION,
  }),
  version: required(string('The release, such as v20260701.', { pattern: RELEASE })),
});

const capacity = object('Says how many instances EC2 has of what is named; all pools if nothing is.', {
  capacityType: oneOf('How they are bought.', ['on-demand', 'spot']),
  for: string('When it has enough of them again; never unless told.', { pattern: DURATION }),
  instances: required(integer('At the most, of each type in each zone. With 0 there are none.', { minimum: 0 })),
  instanceTypes: list('Names of types.', string('Such as m7g.large.', { pattern: INSTANCE_TYPE }), { maxItems: 100 }),
  zone,
});

const interrupt = object('EC2 takes spot instances back: it warns, and terminates them two minutes later.', {
  nodePool: string('Only nodes of this NodePool.'),
  nodes: required(integer('How many, by name of the node.', { minimum: 1 })),
});

const reserve = object('Adds a capacity reservation to the account.', {
  for: string('When it is cancelled; never unless told.', { pattern: DURATION }),
  instanceType: required(string('What is reserved, such as m7i.xlarge.', { pattern: INSTANCE_TYPE })),
  instances: required(integer('How many of them.', { minimum: 1 })),
  tags: map('Tags, by which a NodeClass can select it.', string('The value.')),
  zone: required(zone),
});

const ACTIONS = {
  addRole: string('Adds an IAM role of this name, which instances may assume.', { pattern: ROLE }),
  capacity,
  interrupt,
  kubernetesVersion: string('Upgrades the control plane to this version, such as 1.36.', {
    pattern: KUBERNETES_VERSION,
  }),
  publishImages,
  removeRole: string('Takes the IAM role of this name away, out of instance profiles too.', { pattern: ROLE }),
  reserve,
} satisfies Readonly<Record<string, Schema<unknown>>>;

const NAMES = Object.keys(ACTIONS);

/** What happens in the account of AWS, apart from what Karpenter does there. */
export const awsAction = object('Something that AWS, or somebody else in the account, does.', ACTIONS, [
  {
    rule: `[${NAMES.map((name) => `has(self.${name})`).join(', ')}].filter(x, x).size() == 1`,
    message: `must be one of ${NAMES.slice(0, -1).join(', ')} and ${NAMES.at(-1)}`,
  },
]);
