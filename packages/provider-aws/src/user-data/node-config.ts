import { NodeClassNotReadyError } from '@karpenter-ts/cloudprovider';
import type { Taint } from '@karpenter-ts/kubernetes';
import { goDurations, labelArgument } from './kubelet-arguments.ts';
import type { KubeletConfiguration } from '../node-class/node-class-parts.ts';
import type { UserDataInput } from './user-data-input.ts';
import { writeYaml, type YamlValue } from './yaml-writer.ts';

/**
 * The NodeConfig that nodeadm reads, as YAML (spec 08 §16.4). Throws if the CA is not base64, and NodeClassNotReadyError
 * while the service CIDR is not known.
 */
export function nodeConfigYaml({ cluster, kubelet, labels, taints, instanceStorePolicy }: UserDataInput): string {
  const certificateAuthority = canonicalBase64(cluster.caBundle ?? '');
  if (!cluster.cidr) throw new NodeClassNotReadyError(new Error('resolving cluster CIDR'));
  const argument = labelArgument(labels);
  const config = {
    apiVersion: 'node.eks.aws/v1alpha1',
    kind: 'NodeConfig',
    metadata: {},
    spec: {
      cluster: {
        apiServerEndpoint: cluster.endpoint || undefined,
        certificateAuthority: certificateAuthority || undefined,
        cidr: cluster.cidr,
        name: cluster.name || undefined,
      },
      containerd: {},
      instance: { localStorage: instanceStorePolicy === 'RAID0' ? { strategy: 'RAID0' } : {} },
      kubelet: {
        config: { ...kubeletFields(kubelet), registerWithTaints: taints.map(taintFields) },
        flags: argument === '' ? undefined : [argument],
      },
    },
  };
  return `# Karpenter Generated NodeConfig\n${writeYaml(config)}`;
}

/** What the user has set, without empty lists and maps. */
function kubeletFields(kubelet: KubeletConfiguration): { readonly [field: string]: YamlValue | undefined } {
  const fields = { ...kubelet, evictionSoftGracePeriod: goDurations(kubelet.evictionSoftGracePeriod) };
  return Object.fromEntries(
    Object.entries(fields).filter(([, value]) => typeof value !== 'object' || Object.keys(value).length > 0),
  );
}

function taintFields({ key, value, effect }: Taint): { readonly [field: string]: YamlValue | undefined } {
  return { effect, key, value: value || undefined };
}

const BASE64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/;

function canonicalBase64(text: string): string {
  const joined = text.replaceAll(/[\r\n]/g, '');
  if (!BASE64.test(joined)) throw new Error('decoding CABundle, illegal base64 data');
  return Buffer.from(joined, 'base64').toString('base64');
}
