import { type Infer, object, required, string } from '../../schema/schema.ts';
import { laxConditions } from '../condition.ts';
import { nodeClassRef, nodeSettings, requirements } from './node-claim-spec.ts';
import type { KubernetesObject } from '@karpenter-ts/kubernetes';
import { AGE_COLUMN, READY_COLUMN, type Resource } from '../../schema/resource.ts';
import { resourceList } from '../resource-list.ts';
import { type Flavour, nodeClaimKeyRules } from '../restricted-labels.ts';

const spec = (flavour: Flavour) =>
  object(
    'The instance that is asked for.',
    {
      ...nodeSettings,
      nodeClassRef: required(nodeClassRef()),
      requirements: required(requirements(nodeClaimKeyRules(flavour))),
      resources: object('What the node must be able to hold.', {
        requests: resourceList('The least it must offer of each resource.'),
      }),
    },
    [{ message: 'spec is immutable', rule: 'self == oldSelf' }],
  );

const status = object('What became of the request.', {
  allocatable: resourceList('What pods may use of the node.'),
  capacity: resourceList('All the node has.'),
  conditions: laxConditions,
  imageID: string('The image the instance runs.'),
  lastPodEventTime: string('When a pod last came to or left the node.', { format: 'date-time' }),
  nodeName: string('Name of the Node object.'),
  providerID: string("The provider's id of the instance."),
});

const body = (flavour: Flavour) =>
  object('One instance, asked for, launched or terminating.', { spec: required(spec(flavour)), status });

export type NodeClaim = KubernetesObject<'karpenter.sh/v1', 'NodeClaim', Infer<ReturnType<typeof body>>>;

export const nodeClaimResource = (flavour: Flavour): Resource => ({
  group: 'karpenter.sh',
  version: 'v1',
  kind: 'NodeClaim',
  plural: 'nodeclaims',
  categories: ['karpenter'],
  scope: 'Cluster',
  columns: [
    { name: 'Type', type: 'string', jsonPath: '.metadata.labels.node\\.kubernetes\\.io/instance-type' },
    { name: 'Capacity', type: 'string', jsonPath: '.metadata.labels.karpenter\\.sh/capacity-type' },
    { name: 'Zone', type: 'string', jsonPath: '.metadata.labels.topology\\.kubernetes\\.io/zone' },
    { name: 'Node', type: 'string', jsonPath: '.status.nodeName' },
    READY_COLUMN,
    AGE_COLUMN,
    { name: 'ImageID', type: 'string', jsonPath: '.status.imageID', wide: true },
    { name: 'ID', type: 'string', jsonPath: '.status.providerID', wide: true },
    { name: 'NodePool', type: 'string', jsonPath: '.metadata.labels.karpenter\\.sh/nodepool', wide: true },
    { name: 'NodeClass', type: 'string', jsonPath: '.spec.nodeClassRef.name', wide: true },
    {
      name: 'Drifted',
      type: 'string',
      jsonPath: '.status.conditions[?(@.type=="Drifted")].status',
      wide: true,
    },
  ],
  schema: body(flavour),
});
