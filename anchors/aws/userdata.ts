// The user data of one instance. Bottlerocket's is compared as settings, other families' byte by byte.
import { NodeClassNotReadyError } from '@karpenter-ts/cloudprovider';
import { renderUserData, type UserDataRequest, userDataInput } from '@karpenter-ts/provider-aws/parts';
import { findCause } from '@karpenter-ts/runtime';
import { parse } from 'smol-toml';
import type { Comparer } from './comparison.ts';

type Spec = NonNullable<UserDataRequest['nodeClass']['spec']>;
type Taints = UserDataRequest['nodeClaim']['taints'];

interface Input {
  readonly amiFamily: NonNullable<Spec['amiFamily']>;
  readonly userData?: string | null;
  readonly kubelet?: Spec['kubelet'] | null;
  readonly instanceStorePolicy?: Spec['instanceStorePolicy'] | null;
  readonly amiSelectorTerms?: Spec['amiSelectorTerms'] | null;
  readonly clusterName: string;
  readonly clusterEndpoint: string;
  readonly clusterCIDR?: string | null;
  readonly caBundle?: string | null;
  readonly kubeDNSIP?: string | null;
  readonly amis?: readonly { readonly id: string; readonly name: string }[] | null;
  readonly labels?: Readonly<Record<string, string>> | null;
  readonly capacityType: string;
  readonly taints?: Taints | null;
  readonly startupTaints?: Taints | null;
  readonly instanceTypePods: number;
}

/** Errors of Go's libraries follow these; their texts are not ours to copy. */
const PREFIXES = [
  'parsing custom user data input ',
  'parsing custom UserData, ',
  'generating NodeConfig, decoding CABundle, ',
  'invalid UserData ',
];

export const comparer: Comparer = {
  lines: 120,
  answer(input) {
    try {
      return { userData: renderUserData(userDataInput(requestOf(input as Input))) };
    } catch (error) {
      const nodeClassNotReady = findCause(error, NodeClassNotReadyError) !== undefined;
      return { error: (error as Error).message, nodeClassNotReady };
    }
  },
  normalize(value) {
    const { userData: rendered, error, ...rest } = value as Want;
    if (error !== undefined) return { ...rest, error: knownPartOf(error) };
    const text = Buffer.from(rendered ?? '', 'base64');
    return { ...rest, ...(settingsOf(text.toString()) ?? { bytes: text.toString('latin1') }) };
  },
};

interface Want {
  readonly userData?: string;
  readonly error?: string;
}

function requestOf(input: Input): UserDataRequest {
  const spec = {
    amiFamily: input.amiFamily,
    amiSelectorTerms: input.amiSelectorTerms ?? [],
    subnetSelectorTerms: [],
    securityGroupSelectorTerms: [],
    userData: input.userData ?? undefined,
    kubelet: input.kubelet ?? undefined,
    instanceStorePolicy: input.instanceStorePolicy ?? undefined,
  } as unknown as Spec;
  return {
    nodeClass: { spec, status: { amis: (input.amis ?? []).map((ami) => ({ ...ami, requirements: [] })) } },
    nodeClaim: {
      labels: input.labels ?? {},
      taints: input.taints ?? [],
      startupTaints: input.startupTaints ?? [],
    },
    capacityType: input.capacityType,
    cluster: {
      name: input.clusterName,
      endpoint: input.clusterEndpoint,
      cidr: input.clusterCIDR ?? undefined,
      caBundle: input.caBundle ?? undefined,
      kubeDnsIp: input.kubeDNSIP ?? undefined,
    },
    pods: input.instanceTypePods,
  };
}

/** What user data of Bottlerocket says; undefined for other families. */
function settingsOf(text: string): { readonly settings: unknown } | undefined {
  if (!text.startsWith('[settings')) return undefined;
  const settings = parse(text, { integersAsBigInt: true });
  // An integer and a float of the same value differ.
  const plain = JSON.stringify(settings, (_key, value) =>
    typeof value === 'bigint' ? { integer: `${value}` } : value,
  );
  return { settings: JSON.parse(plain) as unknown };
}

function knownPartOf(text: string): string {
  return PREFIXES.find((prefix) => text.startsWith(prefix)) ?? text;
}
