import { formatTaint } from '@karpenter-ts/apis';
import { formatDuration, goQuote, parseDuration } from '@karpenter-ts/kubernetes';
import type { UserDataInput } from './user-data-input.ts';

/** The kubelet's arguments, as AL2 and Windows pass them on, in upstream's order (spec 08 §16.1). */
export function kubeletArguments({
  kubelet,
  labels,
  taints,
}: Pick<UserDataInput, 'kubelet' | 'labels' | 'taints'>): string {
  const all = [
    labelArgument(labels),
    `--register-with-taints=${goQuote(taints.map(formatTaint).join(','))}`,
    scalar('--max-pods', kubelet.maxPods),
    scalar('--pods-per-core', kubelet.podsPerCore),
    pairs('--system-reserved', kubelet.systemReserved, '='),
    pairs('--kube-reserved', kubelet.kubeReserved, '='),
    pairs('--eviction-hard', kubelet.evictionHard, '<'),
    pairs('--eviction-soft', kubelet.evictionSoft, '<'),
    pairs('--eviction-soft-grace-period', goDurations(kubelet.evictionSoftGracePeriod), '='),
    scalar('--eviction-max-pod-grace-period', kubelet.evictionMaxPodGracePeriod),
    scalar('--image-gc-high-threshold', kubelet.imageGCHighThresholdPercent),
    scalar('--image-gc-low-threshold', kubelet.imageGCLowThresholdPercent),
    scalar('--cpu-cfs-quota', kubelet.cpuCFSQuota),
  ];
  return all.filter((argument) => argument !== '').join(' ');
}

/** `--node-labels="a=b,c=d"`; empty without labels. */
export function labelArgument(labels: Readonly<Record<string, string>>): string {
  return pairs('--node-labels', labels, '=');
}

/** The durations as Go prints them, as upstream writes them everywhere. Throws DurationError. */
export function goDurations(
  durations: Readonly<Record<string, string>> | undefined,
): Readonly<Record<string, string>> | undefined {
  if (durations === undefined) return undefined;
  return Object.fromEntries(
    Object.entries(durations).map(([key, value]) => [key, formatDuration(parseDuration(value))]),
  );
}

function scalar(flag: string, value: number | boolean | undefined): string {
  return value === undefined ? '' : `${flag}=${value}`;
}

/** Sorted by key. Upstream's order is random, so that equal NodeClasses may have different user data. */
function pairs(flag: string, values: Readonly<Record<string, string>> | undefined, separator: string): string {
  const sorted = Object.entries(values ?? {}).sort(([a], [b]) => (a < b ? -1 : 1));
  if (sorted.length === 0) return '';
  return `${flag}=${goQuote(sorted.map(([key, value]) => `${key}${separator}${value}`).join(','))}`;
}
