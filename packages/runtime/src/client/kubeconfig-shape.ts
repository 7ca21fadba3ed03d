/** The expected types of a kubeconfig. Fields that are not listed may be anything, and null counts as missing. */
type Shape =
  | { readonly is: 'string' | 'boolean' | 'anything' }
  | { readonly is: 'list'; readonly of: Shape }
  | { readonly is: 'mapping'; readonly of?: Shape; readonly fields?: Readonly<Record<string, Shape>> };

const TEXT: Shape = { is: 'string' };
const FLAG: Shape = { is: 'boolean' };
const TEXTS: Shape = { is: 'list', of: TEXT };
const fields = (members: Readonly<Record<string, Shape>>): Shape => ({ is: 'mapping', fields: members });
const namedList = (member: string, shape: Shape): Shape => ({
  is: 'list',
  of: fields({ name: TEXT, [member]: shape }),
});

const CLUSTER = fields({
  server: TEXT,
  'tls-server-name': TEXT,
  'insecure-skip-tls-verify': FLAG,
  'certificate-authority': TEXT,
  'certificate-authority-data': TEXT,
  'proxy-url': TEXT,
  extensions: namedList('extension', { is: 'anything' }),
});

const EXEC = fields({
  command: TEXT,
  args: TEXTS,
  env: namedList('value', TEXT),
  apiVersion: TEXT,
  installHint: TEXT,
  provideClusterInfo: FLAG,
  interactiveMode: TEXT,
});

const USER = fields({
  'client-certificate': TEXT,
  'client-certificate-data': TEXT,
  'client-key': TEXT,
  'client-key-data': TEXT,
  token: TEXT,
  tokenFile: TEXT,
  username: TEXT,
  password: TEXT,
  as: TEXT,
  'as-uid': TEXT,
  'as-groups': TEXTS,
  'as-user-extra': { is: 'mapping', of: TEXTS },
  'auth-provider': fields({ name: TEXT }),
  exec: EXEC,
});

const CONTEXT = fields({ cluster: TEXT, user: TEXT, namespace: TEXT });

const KUBECONFIG = fields({
  'current-context': TEXT,
  clusters: namedList('cluster', CLUSTER),
  users: namedList('user', USER),
  contexts: namedList('context', CONTEXT),
});

/**
 * Lists by path every value of a parsed kubeconfig that has the wrong type. Values are not shown: any of them may be a
 * secret in the wrong place.
 */
export function shapeProblems(config: unknown): readonly string[] {
  return [...problemsOf(config, KUBECONFIG, '')];
}

function* problemsOf(value: unknown, shape: Shape, path: string): Generator<string> {
  if (shape.is === 'anything' || value === undefined || value === null) return;
  const found = kindOf(value);
  if (found !== shape.is) {
    yield `${path === '' ? '' : `${path}: `}must be a ${shape.is}, not a ${found}`;
    return;
  }
  if (shape.is === 'list') {
    for (const [index, item] of (value as readonly unknown[]).entries()) {
      const at = `${path}[${index}]`;
      if (item === null) yield `${at}: must be a ${shape.of.is}, not null`;
      else yield* problemsOf(item, shape.of, at);
    }
  }
  if (shape.is === 'mapping') {
    for (const [key, member] of Object.entries(value)) {
      const of = shape.of ?? (shape.fields && Object.hasOwn(shape.fields, key) ? shape.fields[key] : undefined);
      if (of !== undefined) yield* problemsOf(member, of, path === '' ? key : `${path}.${key}`);
    }
  }
}

function kindOf(value: unknown): string {
  if (Array.isArray(value)) return 'list';
  return typeof value === 'object' ? 'mapping' : typeof value;
}
