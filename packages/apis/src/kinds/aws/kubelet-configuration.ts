import { boolean, integer, list, map, object, string } from '../../schema/schema.ts';
import type { ValidationRule } from '@karpenter-ts/kubernetes';
import { QUANTITY } from '../patterns.ts';

/** A percentage, nothing at all, or a quantity: the empty branch is upstream's. */
const EVICTION_THRESHOLD =
  '^((\\d{1,2}(\\.\\d{1,2})?|100(\\.0{1,2})?)%||(\\+|-)?(([0-9]+(\\.[0-9]*)?)|(\\.[0-9]+))(([KMGTPE]i)|[numkMGTPE]|([eE](\\+|-)?(([0-9]+(\\.[0-9]*)?)|(\\.[0-9]+))))?)$';

const SIGNALS =
  "['memory.available','nodefs.available','nodefs.inodesFree','imagefs.available','imagefs.inodesFree','pid.available']";

const signalKeys = (field: string): readonly ValidationRule[] => [
  { message: `valid keys for ${field} are ${SIGNALS}`, rule: `self.all(x, x in ${SIGNALS})` },
];

const thresholds = (field: string, description: string) =>
  map(description, string('A percentage or a quantity.', { pattern: EVICTION_THRESHOLD }), {
    rules: signalKeys(field),
  });

const reserved = (field: string, description: string) =>
  map(description, string('A quantity.', { pattern: QUANTITY }), {
    rules: [
      {
        message: `valid keys for ${field} are ['cpu','memory','ephemeral-storage','pid']`,
        rule: "self.all(x, x=='cpu' || x=='memory' || x=='ephemeral-storage' || x=='pid')",
      },
      {
        message: `${field} value cannot be a negative resource quantity`,
        rule: "self.all(x, !self[x].startsWith('-'))",
      },
    ],
  });

const percent = (description: string) => integer(description, { format: 'int32', minimum: 0, maximum: 100 });

export const kubeletConfiguration = object(
  'Settings of the kubelet; those that change what fits on a node are reckoned with when nodes are planned.',
  {
    clusterDNS: list('Addresses of the cluster DNS.', string('An IP address.')),
    cpuCFSQuota: boolean('Whether CPU limits are enforced by CFS quota.'),
    evictionHard: thresholds('evictionHard', 'Thresholds at which pods are evicted at once.'),
    evictionMaxPodGracePeriod: integer('The longest grace period of a soft eviction, in seconds.', { format: 'int32' }),
    evictionSoft: thresholds('evictionSoft', 'Thresholds at which pods are evicted after a grace period.'),
    evictionSoftGracePeriod: map('Grace periods of the soft thresholds.', string('A duration.'), {
      rules: signalKeys('evictionSoftGracePeriod'),
    }),
    imageGCHighThresholdPercent: percent('Disk use above which images are always collected.'),
    imageGCLowThresholdPercent: percent('Disk use below which images are never collected.'),
    kubeReserved: reserved('kubeReserved', 'Set aside for Kubernetes itself.'),
    maxPods: integer('The most pods on a node.', { format: 'int32', minimum: 0 }),
    podsPerCore: integer('The most pods per core; maxPods still caps it.', { format: 'int32', minimum: 0 }),
    systemReserved: reserved('systemReserved', 'Set aside for the operating system.'),
  },
  [
    {
      message: 'imageGCHighThresholdPercent must be greater than imageGCLowThresholdPercent',
      rule: 'has(self.imageGCHighThresholdPercent) && has(self.imageGCLowThresholdPercent) ?  self.imageGCHighThresholdPercent > self.imageGCLowThresholdPercent  : true',
    },
    {
      message: 'evictionSoft OwnerKey does not have a matching evictionSoftGracePeriod',
      rule: 'has(self.evictionSoft) ? self.evictionSoft.all(e, (e in self.evictionSoftGracePeriod)):true',
    },
    {
      message: 'evictionSoftGracePeriod OwnerKey does not have a matching evictionSoft',
      rule: 'has(self.evictionSoftGracePeriod) ? self.evictionSoftGracePeriod.all(e, (e in self.evictionSoft)):true',
    },
  ],
);
