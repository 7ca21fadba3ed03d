import type { Taint } from '@karpenter-ts/kubernetes';
import { parse, type TomlTable, type TomlValue } from 'smol-toml';
import { type BootInstructions, type ClusterSetting, JoinError } from './boot-instructions.ts';
import { badSetting, checkedAmounts, checkedThresholds, parseTaint, UNTOLD, wholeNumber } from './kubelet-arguments.ts';

/** Bottlerocket: the kubelet's settings stand in the table settings.kubernetes. */
export function readBottlerocket(text: string): BootInstructions {
  const settings = tableAt(parseToml(text), 'settings');
  const kubernetes = tableAt(settings, 'kubernetes');
  if (Object.keys(kubernetes).length === 0) throw new JoinError({ kind: 'no-bootstrap', family: 'Bottlerocket' });
  return {
    family: 'Bottlerocket',
    cluster: {
      name: required(kubernetes, 'cluster-name', 'name'),
      endpoint: required(kubernetes, 'api-server', 'endpoint'),
      certificateAuthority: required(kubernetes, 'cluster-certificate', 'certificate authority'),
    },
    kubelet: {
      ...UNTOLD,
      labels: textsAt(kubernetes, 'node-labels'),
      taints: Object.entries(tableAt(kubernetes, 'node-taints')).flatMap(([key, value]) => taintsOf(key, value)),
      ...('max-pods' in kubernetes && { maxPods: integer('max-pods', kubernetes['max-pods']) }),
      ...('kube-reserved' in kubernetes && {
        kubeReserved: checkedAmounts('kube-reserved', textsAt(kubernetes, 'kube-reserved')),
      }),
      systemReserved: checkedAmounts('system-reserved', textsAt(kubernetes, 'system-reserved')),
      ...('eviction-hard' in kubernetes && {
        evictionHard: checkedThresholds('eviction-hard', textsAt(kubernetes, 'eviction-hard')),
      }),
      clusterDns: [kubernetes['cluster-dns-ip'] ?? []].flat().map(String),
    },
    localDisks: bindsLocalDisks(tableAt(settings, 'bootstrap-commands')) ? 'raid0' : 'unused',
  };
}

function parseToml(text: string): TomlTable {
  try {
    return parse(text);
  } catch (error) {
    throw new JoinError({ kind: 'unreadable', format: 'TOML', detail: (error as Error).message });
  }
}

/** A table of `value:Effect`, or of lists of them, by the keys of taints. */
function taintsOf(key: string, value: TomlValue): readonly Taint[] {
  return [value].flat().map((each) => {
    if (typeof each !== 'string') throw badSetting('node-taints', each);
    return parseTaint(`${key}=${each}`);
  });
}

/** The commands that make an array of the instance's disks and put the folders of pods and images on it. */
function bindsLocalDisks(commands: TomlTable): boolean {
  return Object.values(commands).some((entry) => JSON.stringify(entry).includes('"ephemeral-storage","bind"'));
}

function integer(setting: string, value: unknown): number {
  if (typeof value !== 'number') throw badSetting(setting, value);
  return wholeNumber(setting, value);
}

function required(kubernetes: TomlTable, key: string, setting: ClusterSetting): string {
  const value = kubernetes[key];
  if (value === undefined || value === '') throw new JoinError({ kind: 'missing', setting });
  if (typeof value !== 'string') throw badSetting(key, value);
  return value;
}

/** An empty table where there is none. */
function tableAt(parent: TomlTable, key: string): TomlTable {
  const value = parent[key];
  if (value === undefined) return {};
  if (typeof value === 'object' && !Array.isArray(value) && !(value instanceof Date)) return value;
  throw badSetting(key, value);
}

function textsAt(parent: TomlTable, key: string): Record<string, string> {
  const texts = tableAt(parent, key);
  for (const value of Object.values(texts)) if (typeof value !== 'string') throw badSetting(key, value);
  return { ...texts } as Record<string, string>;
}
