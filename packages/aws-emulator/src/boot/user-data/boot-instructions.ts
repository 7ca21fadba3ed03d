import type { Taint } from '@karpenter-ts/kubernetes';

/** How an instance boots: what its image makes of user data. */
export type ImageFamily = 'AL2' | 'AL2023' | 'Bottlerocket' | 'Windows' | 'Custom';

/** What user data asks of an instance that is to become a Node. */
export interface BootInstructions {
  /** The family whose rules were followed; with a custom image, the one whose form the user data has. */
  readonly family: Exclude<ImageFamily, 'Custom'>;
  readonly cluster: ToldCluster;
  readonly kubelet: KubeletSettings;
  /** Whether the instance's own disks are put together for pods and images. */
  readonly localDisks: 'raid0' | 'unused';
}

/** What the instance is told of its cluster. */
export interface ToldCluster {
  readonly name: string;
  /** With the authority undefined when the instance asks EKS for both, as bootstrap.sh does unless it is told both. */
  readonly endpoint: string | undefined;
  /** As written: base64 of the certificate. */
  readonly certificateAuthority: string | undefined;
}

/** The part of a kubelet's configuration that shows in its Node. */
export interface KubeletSettings {
  readonly labels: Readonly<Record<string, string>>;
  readonly taints: readonly Taint[];
  /** Undefined: what the family finds itself. */
  readonly maxPods: number | undefined;
  /** 0 is no limit. */
  readonly podsPerCore: number;
  /** Undefined where the family's own reservations hold. */
  readonly kubeReserved: Amounts | undefined;
  readonly systemReserved: Amounts;
  /** Signal to threshold; undefined where the family's own hold. */
  readonly evictionHard: Amounts | undefined;
  readonly clusterDns: readonly string[];
}

type Amounts = Readonly<Record<string, string>>;

/** Why an instance never becomes a Node. */
export type JoinFailure =
  /** Nothing in the user data starts a kubelet in the way of this family. */
  | { readonly kind: 'no-bootstrap'; readonly family: ImageFamily }
  | { readonly kind: 'unreadable'; readonly format: 'MIME' | 'NodeConfig' | 'TOML'; readonly detail: string }
  | { readonly kind: 'missing'; readonly setting: ClusterSetting }
  | { readonly kind: 'wrong-cluster'; readonly setting: ClusterSetting; readonly told: string }
  | { readonly kind: 'bad-certificate'; readonly told: string }
  /** The kubelet does not start with this value of a setting. */
  | { readonly kind: 'bad-setting'; readonly setting: string; readonly value: string }
  /** The kubelet does not start with labels in domains of Kubernetes that are not its own. */
  | { readonly kind: 'forbidden-labels'; readonly labels: readonly string[] }
  /** The API server refused the Node. */
  | { readonly kind: 'rejected'; readonly detail: string };

export type ClusterSetting = 'name' | 'endpoint' | 'certificate authority' | 'service CIDR';

/** Carries the failure from where it is found to the end of the boot. */
export class JoinError extends Error {
  override readonly name = 'JoinError';
  readonly failure: JoinFailure;

  constructor(failure: JoinFailure) {
    super(JSON.stringify(failure));
    this.failure = failure;
  }
}
