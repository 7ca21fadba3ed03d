import { type BootInstructions, type JoinFailure, type ToldCluster } from './boot-instructions.ts';

/** The cluster that there is. */
export interface ActualCluster {
  readonly name: string;
  readonly endpoint: string;
  /** Base64, as EKS gives it. */
  readonly certificateAuthority: string;
}

/** Why an instance with these instructions cannot join the cluster; undefined if it can. */
export function findJoinFailure(
  { cluster, kubelet }: BootInstructions,
  actual: ActualCluster,
): JoinFailure | undefined {
  return findClusterFailure(cluster, actual) ?? findLabelFailure(kubelet.labels);
}

function findClusterFailure(told: ToldCluster, actual: ActualCluster): JoinFailure | undefined {
  const { name, endpoint, certificateAuthority } = told;
  if (name !== actual.name) {
    return name === '' ? { kind: 'missing', setting: 'name' } : wrong('name', name);
  }
  if (endpoint === undefined || certificateAuthority === undefined) return undefined; // asks EKS
  if (withoutSlash(endpoint) !== withoutSlash(actual.endpoint)) return wrong('endpoint', endpoint);
  if (!isBase64(certificateAuthority)) return { kind: 'bad-certificate', told: certificateAuthority };
  if (!bytesOf(certificateAuthority).equals(bytesOf(actual.certificateAuthority))) {
    return wrong('certificate authority', certificateAuthority);
  }
  return undefined;
}

function wrong(setting: 'name' | 'endpoint' | 'certificate authority', told: string): JoinFailure {
  return { kind: 'wrong-cluster', setting, told };
}

function withoutSlash(url: string): string {
  return url.replace(/\/$/, '');
}

function isBase64(text: string): boolean {
  const digits = text.replaceAll(/\s/g, '');
  return digits.length % 4 === 0 && /^[A-Za-z0-9+/]*={0,2}$/.test(digits);
}

function bytesOf(base64: string): Buffer {
  return Buffer.from(base64, 'base64');
}

function findLabelFailure(labels: Readonly<Record<string, string>>): JoinFailure | undefined {
  const forbidden = Object.keys(labels).filter((key) => !mayKubeletSet(key));
  return forbidden.length === 0 ? undefined : { kind: 'forbidden-labels', labels: forbidden };
}

/** A kubelet does not start with labels of Kubernetes' domains, except for its own. */
function mayKubeletSet(key: string): boolean {
  const domain = key.includes('/') ? key.slice(0, key.indexOf('/')) : '';
  const isOf = (parent: string): boolean => domain === parent || domain.endsWith(`.${parent}`);
  if (!['kubernetes.io', 'k8s.io'].some(isOf)) return true;
  return KUBELET_LABELS.has(key) || ['kubelet.kubernetes.io', 'node.kubernetes.io'].some(isOf);
}

const KUBELET_LABELS: ReadonlySet<string> = new Set([
  'beta.kubernetes.io/arch',
  'beta.kubernetes.io/instance-type',
  'beta.kubernetes.io/os',
  'failure-domain.beta.kubernetes.io/region',
  'failure-domain.beta.kubernetes.io/zone',
  'kubernetes.io/arch',
  'kubernetes.io/hostname',
  'kubernetes.io/os',
  'node.kubernetes.io/instance-type',
  'topology.kubernetes.io/region',
  'topology.kubernetes.io/zone',
]);
