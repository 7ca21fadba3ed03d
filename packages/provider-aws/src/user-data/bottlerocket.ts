import { parse, stringify, TomlError } from 'smol-toml';
import {
  readBootstrapCommands,
  readKubernetesSettings,
  table,
  type TomlTable,
  unknownKubernetesKeys,
} from './bottlerocket-settings.ts';
import { bindsByDefault } from './bottlerocket-version.ts';
import { goDurations } from './kubelet-arguments.ts';
import type { UserDataInput } from './user-data-input.ts';

/** Settings in TOML: the user's, overwritten by what Karpenter knows (spec 08 §16.5). */
export function bottlerocketUserData(input: UserDataInput): string {
  const settings = readSettings(input.custom);
  const merged = {
    ...settings.all,
    kubernetes: withoutEmpty({ ...settings.kubernetes, ...ownSettings(input, settings.kubernetes) }),
    ...bootstrapCommands(settings.bootstrapCommands, input),
  };
  return Buffer.from(stringify({ settings: merged }, { numbersAsFloat: true })).toString('base64');
}

/** The keys of `settings.kubernetes` that will be missing on the instance, because nobody knows them. */
export function findUnknownBottlerocketKeys(custom: string): readonly string[] {
  const { kubernetes } = parseSettings(custom);
  return kubernetes === undefined ? [] : unknownKubernetesKeys(table(kubernetes, 'settings.kubernetes'));
}

interface Settings {
  /** Of every table, as the user wrote it. */
  readonly all: TomlTable;
  readonly kubernetes: TomlTable;
  readonly bootstrapCommands: TomlTable | undefined;
}

function readSettings(custom: string | undefined): Settings {
  try {
    const all = parseSettings(custom ?? '');
    const commands = all['bootstrap-commands'];
    return {
      all,
      kubernetes: readKubernetesSettings(all['kubernetes'] ?? {}),
      bootstrapCommands: commands === undefined ? undefined : readBootstrapCommands(commands),
    };
  } catch (cause) {
    throw new Error(`invalid UserData ${(cause as Error).message}`, { cause });
  }
}

/** The table `settings`, which alone survives. */
function parseSettings(custom: string): TomlTable {
  const document = parseDocument(custom);
  if (document instanceof Error) throw document;
  const name = Object.keys(document).find((key) => key.toLowerCase() === 'settings');
  return name === undefined ? {} : table(document[name], 'settings');
}

/** The document, or what is wrong with it and where. The parser's own error quotes lines, which may hold secrets. */
function parseDocument(custom: string): TomlTable | Error {
  try {
    return parse(custom, { integersAsBigInt: true });
  } catch (error) {
    if (!(error instanceof TomlError)) throw error;
    const [reason = ''] = error.message.split('\n', 1);
    return new Error(`${reason} (line ${error.line}, column ${error.column})`);
  }
}

/** What Karpenter writes. A whole table replaces the user's, except for labels, which are merged. */
function ownSettings({ cluster, kubelet, labels, taints }: UserDataInput, custom: TomlTable): TomlTable {
  const [dns] = kubelet.clusterDNS ?? [];
  return {
    'cluster-name': cluster.name,
    'api-server': cluster.endpoint,
    'cluster-certificate': cluster.caBundle,
    'node-labels': { ...(custom['node-labels'] as TomlTable | undefined), ...labels },
    'node-taints': taintSettings(taints),
    ...defined({
      'max-pods': integer(kubelet.maxPods),
      'cluster-dns-ip': dns,
      'system-reserved': kubelet.systemReserved,
      'kube-reserved': kubelet.kubeReserved,
      'eviction-hard': kubelet.evictionHard,
      'eviction-soft': kubelet.evictionSoft,
      'eviction-soft-grace-period': goDurations(kubelet.evictionSoftGracePeriod),
      'eviction-max-pod-grace-period': integer(kubelet.evictionMaxPodGracePeriod),
      'image-gc-high-threshold-percent': kubelet.imageGCHighThresholdPercent?.toString(),
      'image-gc-low-threshold-percent': kubelet.imageGCLowThresholdPercent?.toString(),
      'cpu-cfs-quota-enforced': kubelet.cpuCFSQuota,
    }),
  };
}

function taintSettings(taints: UserDataInput['taints']): TomlTable {
  const byKey = Map.groupBy(taints, ({ key }) => key);
  return Object.fromEntries(
    [...byKey].map(([key, group]) => [key, group.map(({ value, effect }) => `${value ?? ''}:${effect}`)]),
  );
}

const integer = (value: number | undefined): bigint | undefined => (value === undefined ? undefined : BigInt(value));

function defined(values: TomlTable): TomlTable {
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined));
}

/** Empty tables that the user has written say nothing, nor do keys without a value. */
function withoutEmpty(values: TomlTable): TomlTable {
  return Object.fromEntries(
    Object.entries(values).filter(([key, value]) => {
      if (typeof value !== 'object' || value === null || key === 'topology-manager-policy-options') {
        return value !== undefined;
      }
      return Object.keys(value).length > 0;
    }),
  );
}

const MOUNT_INSTANCE_STORE = '000-mount-instance-storage';
/** What releases bind that are not told. Older ones have to be. */
const BOUND_DIRECTORIES = ['/var/lib/containerd', '/var/lib/kubelet', '/var/log/pods'];

function bootstrapCommands(
  custom: TomlTable | undefined,
  { instanceStorePolicy, bottlerocketVersion }: UserDataInput,
): TomlTable {
  const mount = instanceStorePolicy === 'RAID0' ? { [MOUNT_INSTANCE_STORE]: mountCommand(bottlerocketVersion) } : {};
  if (custom === undefined && instanceStorePolicy !== 'RAID0') return {};
  return { 'bootstrap-commands': { ...custom, ...mount } };
}

function mountCommand(version: string | undefined): TomlTable {
  const bind = ['apiclient', 'ephemeral-storage', 'bind'];
  return {
    commands: [
      ['apiclient', 'ephemeral-storage', 'init'],
      bindsByDefault(version) ? bind : [...bind, '--dirs', ...BOUND_DIRECTORIES],
    ],
    mode: 'always',
    essential: true,
  };
}
