import { TomlDate } from 'smol-toml';

// The settings of Kubernetes that upstream knows, with their types. What is not here is dropped from the user data of a
// Bottlerocket node.

/** A TOML table. Integers are bigint, so that they stay integers. */
export type TomlTable = { [key: string]: unknown };

/** Reads a value, or throws an Error that says why it cannot be read. */
type Reader = (value: unknown, path: string) => unknown;

const text: Reader = (value, path) => (typeof value === 'string' ? value : refuse(value, path, 'string'));
const flag: Reader = (value, path) => (typeof value === 'boolean' ? value : refuse(value, path, 'bool'));
const integer: Reader = (value, path) => (typeof value === 'bigint' ? value : refuse(value, path, 'int'));
const unsigned: Reader = (value, path) =>
  typeof value === 'bigint' && value >= 0n && value < 2n ** 32n ? value : refuse(value, path, 'uint32');

const list =
  (read: Reader): Reader =>
  (value, path) =>
    Array.isArray(value)
      ? value.map((item, index) => read(item, `${path}[${index}]`))
      : refuse(value, path, 'an array');

const map =
  (read: Reader): Reader =>
  (value, path) =>
    Object.fromEntries(
      Object.entries(table(value, path)).map(([key, member]) => [key, read(member, `${path}.${key}`)]),
    );

/** A table of known keys. Others are dropped; what is missing has its default, if there is one. */
const record =
  (fields: Readonly<Record<string, Reader>>, defaults: Readonly<TomlTable> = {}): Reader =>
  (value, path) => ({ ...defaults, ...readKnown(table(value, path), fields, path) });

/** Upstream's list, in its order. */
const KUBERNETES: Readonly<Record<string, Reader>> = {
  'api-server': text,
  'cloud-provider': text,
  'cluster-certificate': text,
  'cluster-name': text,
  'cluster-dns-ip': text,
  'credential-providers': map(
    record(
      { enabled: flag, 'cache-duration': text, 'image-patterns': list(text), environment: map(text) },
      { 'image-patterns': [] },
    ),
  ),
  'node-labels': map(text),
  'node-taints': map(list(text)),
  'max-pods': integer,
  'static-pods': map(record({ enabled: flag, manifest: text })),
  'eviction-hard': map(text),
  'eviction-soft': map(text),
  'eviction-soft-grace-period': map(text),
  'eviction-max-pod-grace-period': integer,
  'kube-reserved': map(text),
  'system-reserved': map(text),
  'allowed-unsafe-sysctls': list(text),
  'server-tls-bootstrap': flag,
  'registry-qps': integer,
  'registry-burst': integer,
  'event-qps': integer,
  'event-burst': integer,
  'kube-api-qps': integer,
  'kube-api-burst': integer,
  'container-log-max-size': text,
  'container-log-max-files': integer,
  'cpu-manager-policy': text,
  'cpu-manager-policy-options': list(text),
  'cpu-manager-reconcile-period': text,
  'memory-manager-policy': text,
  'topology-manager-scope': text,
  'topology-manager-policy': text,
  'topology-manager-policy-options': record({ 'prefer-closest-numa-nodes': flag, 'max-allowable-numa-nodes': integer }),
  'image-gc-high-threshold-percent': text,
  'image-gc-low-threshold-percent': text,
  'ids-per-pod': integer,
  'cpu-cfs-quota-enforced': flag,
  'shutdown-grace-period': text,
  'shutdown-grace-period-for-critical-pods': text,
  'cluster-domain': text,
  'seccomp-default': flag,
  'pod-pids-limit': integer,
  'device-ownership-from-security-context': flag,
  'single-process-oom-kill': flag,
  'container-log-max-workers': integer,
  'container-log-monitor-interval': text,
  'hostname-override-source': text,
  'log-level': unsigned,
};

/** The keys of `settings.kubernetes` that reach the instance. */
export const KNOWN_KUBERNETES_KEYS: readonly string[] = Object.keys(KUBERNETES);

const bootstrapCommands = map(
  record({ commands: list(list(text)), mode: text, essential: flag }, { commands: [], mode: '', essential: false }),
);

/** `settings.kubernetes`, without what nobody knows. Throws if a known key has a value of another type. */
export function readKubernetesSettings(value: unknown): TomlTable {
  return readKnown(table(value, 'settings.kubernetes'), KUBERNETES, 'settings.kubernetes');
}

/** The keys of `settings.kubernetes` that are dropped, sorted. */
export function unknownKubernetesKeys(value: TomlTable): readonly string[] {
  return Object.keys(value)
    .filter((key) => knownName(key, KUBERNETES) === undefined)
    .sort();
}

/** `settings.bootstrap-commands`, each with exactly the three keys that upstream writes. */
export function readBootstrapCommands(value: unknown): TomlTable {
  return bootstrapCommands(value, 'settings.bootstrap-commands') as TomlTable;
}

/** The value as a table. Throws if it is none. */
export function table(value: unknown, path: string): TomlTable {
  const isTable = typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof TomlDate);
  return isTable ? (value as TomlTable) : refuse(value, path, 'a table');
}

function readKnown(values: TomlTable, fields: Readonly<Record<string, Reader>>, path: string): TomlTable {
  const known: TomlTable = {};
  for (const [key, value] of Object.entries(values)) {
    const name = knownName(key, fields);
    if (name !== undefined) known[name] = fields[name]!(value, `${path}.${name}`);
  }
  return known;
}

/** Upstream's library overlooks letter case. */
function knownName(key: string, fields: Readonly<Record<string, Reader>>): string | undefined {
  return [key, key.toLowerCase()].find((name) => Object.hasOwn(fields, name));
}

function refuse(value: unknown, path: string, wanted: string): never {
  throw new Error(`toml: ${path} must be ${wanted}, but is ${typeName(value)}`);
}

function typeName(value: unknown): string {
  if (typeof value === 'bigint') return 'an integer';
  if (typeof value === 'number') return 'a float';
  if (Array.isArray(value)) return 'an array';
  if (value instanceof TomlDate) return 'a date';
  return typeof value === 'object' ? 'a table' : `a ${typeof value}`;
}
