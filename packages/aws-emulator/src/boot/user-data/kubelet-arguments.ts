import { findQuantity, type Taint } from '@karpenter-ts/kubernetes';
import { JoinError, type KubeletSettings } from './boot-instructions.ts';

/** A kubelet that is told nothing. */
export const UNTOLD: KubeletSettings = {
  labels: {},
  taints: [],
  maxPods: undefined,
  podsPerCore: 0,
  kubeReserved: undefined,
  systemReserved: {},
  evictionHard: undefined,
  clusterDns: [],
};

/**
 * What command line arguments change of a kubelet's settings. They win over its configuration file: an argument that is a
 * map replaces the map there as a whole. Labels accumulate when given several times. Arguments that do not show in a Node
 * are passed over.
 */
export function withArguments(settings: KubeletSettings, words: readonly string[]): KubeletSettings {
  const changed = { ...settings };
  for (let at = 0; at < words.length; at++) {
    const match = /^--([a-z-]+)(?:=([^]*))?$/.exec(words[at]!);
    if (match === null) continue;
    const read = READERS[match[1]!];
    if (read !== undefined) Object.assign(changed, read(match[2] ?? words[++at] ?? '', changed));
  }
  return changed;
}

type Reader = (value: string, before: KubeletSettings) => Partial<KubeletSettings>;

const READERS: Readonly<Record<string, Reader>> = {
  'node-labels': (value, { labels }) => ({ labels: { ...labels, ...pairs(value, '=') } }),
  'register-with-taints': (value) => ({ taints: list(value).map(parseTaint) }),
  'max-pods': (value) => ({ maxPods: wholeNumber('max-pods', value) }),
  'pods-per-core': (value) => ({ podsPerCore: wholeNumber('pods-per-core', value) }),
  'kube-reserved': (value) => ({ kubeReserved: checkedAmounts('kube-reserved', pairs(value, '=')) }),
  'system-reserved': (value) => ({ systemReserved: checkedAmounts('system-reserved', pairs(value, '=')) }),
  'eviction-hard': (value) => ({ evictionHard: checkedThresholds('eviction-hard', pairs(value, '<')) }),
  'cluster-dns': (value) => ({ clusterDns: list(value) }),
};

function list(value: string): readonly string[] {
  return value
    .split(',')
    .map((each) => each.trim())
    .filter((each) => each !== '');
}

function pairs(value: string, separator: string): Record<string, string> {
  const entries = list(value).map((pair): [string, string] => {
    const at = pair.indexOf(separator);
    return at === -1 ? [pair, ''] : [pair.slice(0, at).trim(), pair.slice(at + 1).trim()];
  });
  return Object.fromEntries(entries);
}

/** The number, 0 or more. */
export function wholeNumber(setting: string, value: unknown): number {
  const number = typeof value === 'string' && /^\d+$/.test(value) ? Number(value) : value;
  if (typeof number === 'number' && Number.isSafeInteger(number) && number >= 0) return number;
  throw badSetting(setting, value);
}

const EFFECTS: ReadonlySet<string> = new Set(['NoSchedule', 'PreferNoSchedule', 'NoExecute']);

/** `key=value:Effect` or `key:Effect`. */
export function parseTaint(text: string): Taint {
  const colon = text.lastIndexOf(':');
  const [key = '', value = ''] = text.slice(0, Math.max(colon, 0)).split('=', 2);
  return checkedTaint({ key, value, effect: text.slice(colon + 1) });
}

/** An empty value is left out, as the API server shows it. */
export function checkedTaint({ key, value, effect }: Taint): Taint {
  if (!key || !EFFECTS.has(effect)) throw badSetting('taint', `${key}=${value ?? ''}:${effect}`);
  return value ? { key, value, effect } : { key, effect };
}

/** Quantities by resource. */
export function checkedAmounts(setting: string, amounts: Readonly<Record<string, string>>): Record<string, string> {
  for (const [resource, amount] of Object.entries(amounts)) {
    if (findQuantity(amount) === undefined) throw badSetting(setting, `${resource}=${amount}`);
  }
  return { ...amounts };
}

/** Quantities or percentages by signal. */
export function checkedThresholds(
  setting: string,
  thresholds: Readonly<Record<string, string>>,
): Record<string, string> {
  for (const [signal, threshold] of Object.entries(thresholds)) {
    const isPercentage = /^\d+(\.\d+)?%$/.test(threshold);
    if (!isPercentage && findQuantity(threshold) === undefined) throw badSetting(setting, `${signal}<${threshold}`);
  }
  return { ...thresholds };
}

export function badSetting(setting: string, value: unknown): JoinError {
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  return new JoinError({ kind: 'bad-setting', setting, value: text ?? 'nothing' });
}
