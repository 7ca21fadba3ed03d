// CEL rules that keep labels of our own domains out of users' hands (spec 01 §10.2). The order of the allow-lists is
// upstream's: the rule text is interface.
import type { ValidationRule } from '@karpenter-ts/kubernetes';

/** Which provider's CRDs: the neutral ones, or those with a rule more for the provider's own label domain. */
export type Flavour = 'core' | 'aws' | 'kwok';

/** `keys` for rules on a map of labels, `self` for rules on one requirement key. */
type Subject = 'keys' | 'self';

const CORE_ALLOWED = ['karpenter.sh/capacity-type', 'karpenter.sh/nodepool'];

const KWOK_ALLOWED = [
  'karpenter.kwok.sh/kwoknodeclass',
  'karpenter.kwok.sh/instance-cpu',
  'karpenter.kwok.sh/instance-memory',
  'karpenter.kwok.sh/instance-family',
  'karpenter.kwok.sh/instance-size',
];

const AWS_RESERVATION = [
  'karpenter.k8s.aws/instance-tenancy',
  'karpenter.k8s.aws/capacity-reservation-type',
  'karpenter.k8s.aws/capacity-reservation-id',
  'karpenter.k8s.aws/capacity-reservation-interruptible',
];

const AWS_INSTANCE = [
  'karpenter.k8s.aws/ec2nodeclass',
  'karpenter.k8s.aws/instance-encryption-in-transit-supported',
  'karpenter.k8s.aws/instance-category',
  'karpenter.k8s.aws/instance-hypervisor',
  'karpenter.k8s.aws/instance-family',
  'karpenter.k8s.aws/instance-generation',
  'karpenter.k8s.aws/instance-local-nvme',
  'karpenter.k8s.aws/instance-size',
  'karpenter.k8s.aws/instance-cpu',
  'karpenter.k8s.aws/instance-cpu-manufacturer',
  'karpenter.k8s.aws/instance-cpu-sustained-clock-speed-mhz',
  'karpenter.k8s.aws/instance-memory',
  'karpenter.k8s.aws/instance-ebs-bandwidth',
  'karpenter.k8s.aws/instance-network-bandwidth',
  'karpenter.k8s.aws/instance-gpu-name',
  'karpenter.k8s.aws/instance-gpu-manufacturer',
  'karpenter.k8s.aws/instance-gpu-count',
  'karpenter.k8s.aws/instance-gpu-memory',
  'karpenter.k8s.aws/instance-accelerator-name',
  'karpenter.k8s.aws/instance-accelerator-manufacturer',
  'karpenter.k8s.aws/instance-accelerator-count',
  'karpenter.k8s.aws/instance-capability-flex',
];

const AWS_PLACEMENT = ['karpenter.k8s.aws/placement-group-id', 'karpenter.k8s.aws/placement-group-partition'];

const AWS_ALLOWED = [...AWS_RESERVATION, ...AWS_INSTANCE, ...AWS_PLACEMENT];

/** Upstream lists the last reservation label twice in the rule for NodePool labels. */
const AWS_LABELS_ALLOWED = [...AWS_RESERVATION, AWS_RESERVATION.at(-1)!, ...AWS_INSTANCE, ...AWS_PLACEMENT];

export function nodePoolLabelRules(flavour: Flavour): readonly ValidationRule[] {
  return [
    domainRule('keys', 'karpenter.sh', CORE_ALLOWED),
    labelRule('keys', 'karpenter.sh/nodepool'),
    labelRule('keys', 'kubernetes.io/hostname'),
    ...(flavour === 'aws' ? [domainRule('keys', 'karpenter.k8s.aws', AWS_LABELS_ALLOWED)] : []),
  ];
}

/** A NodePool's own requirements may not name a NodePool; those of its NodeClaims do. */
export function nodePoolKeyRules(flavour: Flavour): readonly ValidationRule[] {
  const [domain, hostname, ...provider] = nodeClaimKeyRules(flavour);
  return [domain!, labelRule('self', 'karpenter.sh/nodepool'), hostname!, ...provider];
}

export function nodeClaimKeyRules(flavour: Flavour): readonly ValidationRule[] {
  return [
    domainRule('self', 'karpenter.sh', CORE_ALLOWED),
    labelRule('self', 'kubernetes.io/hostname'),
    ...(flavour === 'aws' ? [domainRule('self', 'karpenter.k8s.aws', AWS_ALLOWED)] : []),
    ...(flavour === 'kwok' ? [domainRule('self', 'karpenter.kwok.sh', KWOK_ALLOWED)] : []),
  ];
}

/** Overlays select by what an instance type is, not by how it is bought or placed. */
export function nodeOverlayKeyRules(flavour: Flavour): readonly ValidationRule[] {
  return [
    domainRule('self', 'karpenter.sh', CORE_ALLOWED),
    labelRule('self', 'kubernetes.io/hostname'),
    ...(flavour === 'aws' ? [domainRule('self', 'karpenter.k8s.aws', AWS_INSTANCE)] : []),
  ];
}

function domainRule(subject: Subject, domain: string, allowed: readonly string[]): ValidationRule {
  const names = allowed.map((name) => `"${name}"`).join(', ');
  const test = (key: string) => `${key} in [${names}] || !${key}.find("^([^/]+)").endsWith("${domain}")`;
  return { message: `label domain "${domain}" is restricted`, rule: over(subject, test) };
}

function labelRule(subject: Subject, label: string): ValidationRule {
  return { message: `label "${label}" is restricted`, rule: over(subject, (key) => `${key} != "${label}"`) };
}

function over(subject: Subject, test: (key: string) => string): string {
  return subject === 'keys' ? `self.all(x, ${test('x')})` : test('self');
}
