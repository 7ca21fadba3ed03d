import { isJsonObject, type Json, type JsonObject, type Taint } from '@karpenter-ts/kubernetes';
import { parse } from 'yaml';
import { type BootInstructions, JoinError, type KubeletSettings } from './boot-instructions.ts';
import {
  badSetting,
  checkedAmounts,
  checkedTaint,
  checkedThresholds,
  UNTOLD,
  wholeNumber,
  withArguments,
} from './kubelet-arguments.ts';
import { isMime, mimeParts } from './mime-parts.ts';
import { mergeNodeConfigs } from './node-config-merge.ts';
import { shellWords } from './shell-words.ts';

const MEDIA_TYPE = 'application/node.eks.aws';

/** Amazon Linux 2023: nodeadm merges the NodeConfigs of all parts, and the kubelet starts with what comes out. */
export function readAl2023(text: string): BootInstructions {
  const configs = nodeConfigTexts(text).map(parseNodeConfig);
  if (configs.length === 0) throw new JoinError({ kind: 'no-bootstrap', family: 'AL2023' });
  const spec = objectAt(mergeNodeConfigs(configs), 'spec');
  const cluster = objectAt(spec, 'cluster');
  const kubelet = objectAt(spec, 'kubelet');
  return {
    family: 'AL2023',
    cluster: {
      name: required(cluster, 'name', 'name'),
      endpoint: required(cluster, 'apiServerEndpoint', 'endpoint'),
      certificateAuthority: required(cluster, 'certificateAuthority', 'certificate authority'),
      ...(required(cluster, 'cidr', 'service CIDR') && {}),
    },
    kubelet: withArguments(configuredKubelet(objectAt(kubelet, 'config')), flagWords(kubelet['flags'])),
    localDisks: objectAt(objectAt(spec, 'instance'), 'localStorage')['strategy'] === 'RAID0' ? 'raid0' : 'unused',
  };
}

/** Text that is not MIME is one NodeConfig. */
function nodeConfigTexts(text: string): readonly string[] {
  if (!isMime(text)) return text.trim() === '' || text.startsWith('#!') ? [] : [text];
  return mimeParts(text)
    .filter(({ contentType }) => contentType === MEDIA_TYPE)
    .map(({ body }) => body);
}

/** One that nodeadm cannot decode ends the boot, also where another would do. */
function parseNodeConfig(text: string): JsonObject {
  const value = parseYaml(text);
  if (isJsonObject(value) && value['apiVersion'] === 'node.eks.aws/v1alpha1' && value['kind'] === 'NodeConfig') {
    return value;
  }
  throw new JoinError({
    kind: 'unreadable',
    format: 'NodeConfig',
    detail: 'not a NodeConfig of node.eks.aws/v1alpha1',
  });
}

function parseYaml(text: string): Json {
  try {
    return parse(text) as Json;
  } catch (error) {
    throw new JoinError({ kind: 'unreadable', format: 'NodeConfig', detail: (error as Error).message });
  }
}

function configuredKubelet(config: JsonObject): KubeletSettings {
  return {
    ...UNTOLD,
    taints: entries(config, 'registerWithTaints').map((taint) => checkedTaint(taint as unknown as Taint)),
    ...(config['maxPods'] !== undefined && { maxPods: wholeNumber('maxPods', config['maxPods']) }),
    ...(config['podsPerCore'] !== undefined && { podsPerCore: wholeNumber('podsPerCore', config['podsPerCore']) }),
    ...(config['kubeReserved'] !== undefined && { kubeReserved: checkedAmounts(...textsAt(config, 'kubeReserved')) }),
    systemReserved: checkedAmounts(...textsAt(config, 'systemReserved')),
    ...(config['evictionHard'] !== undefined && {
      evictionHard: checkedThresholds(...textsAt(config, 'evictionHard')),
    }),
    clusterDns: entries(config, 'clusterDNS').map(String),
  };
}

function flagWords(flags: Json | undefined): readonly string[] {
  if (flags === undefined || flags === null) return [];
  if (!Array.isArray(flags) || !flags.every((flag) => typeof flag === 'string')) throw badSetting('flags', flags);
  return flags.flatMap((flag) => shellWords(flag));
}

function required(
  cluster: JsonObject,
  key: string,
  setting: 'name' | 'endpoint' | 'certificate authority' | 'service CIDR',
): string {
  const value = cluster[key];
  if (typeof value !== 'string' || value === '') throw new JoinError({ kind: 'missing', setting });
  return value;
}

/** An empty object where there is none. */
function objectAt(parent: JsonObject, key: string): JsonObject {
  const value = parent[key];
  if (value === undefined || value === null) return {};
  if (isJsonObject(value)) return value;
  throw badSetting(key, value);
}

function entries(parent: JsonObject, key: string): readonly Json[] {
  const value = parent[key] ?? [];
  if (Array.isArray(value)) return value as readonly Json[];
  throw badSetting(key, value);
}

/** Quantities may be written as numbers in YAML; a kubelet's configuration wants texts. */
function textsAt(parent: JsonObject, key: string): [string, Record<string, string>] {
  const texts = objectAt(parent, key);
  for (const value of Object.values(texts)) if (typeof value !== 'string') throw badSetting(key, value);
  return [key, texts as Record<string, string>];
}
