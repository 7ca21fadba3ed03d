import { generateKeyPairSync, randomBytes } from 'node:crypto';

/** Who may ask the API server. */
export type Role = keyof typeof ROLES;

/** The bearer token of each role. */
export type Tokens = Readonly<Record<Role, string>>;

interface Identity {
  readonly user: string;
  readonly groups: readonly string[];
}

/** Who the API server knows. Only `admin` may do anything from the start; suites bind roles to the others. */
const ROLES = {
  admin: { user: 'admin', groups: ['system:masters'] },
  /** The service account of the chart, as its ClusterRoleBindings name it when installed in kube-system. */
  karpenter: {
    user: 'system:serviceaccount:kube-system:karpenter',
    groups: ['system:serviceaccounts', 'system:serviceaccounts:kube-system'],
  },
  /** A person without any right. */
  developer: { user: 'developer', groups: [] },
} as const satisfies Readonly<Record<string, Identity>>;

const ROLE_NAMES = Object.keys(ROLES) as readonly Role[];

/** A random token for each role, made anew for each lab. */
export function createTokens(): Tokens {
  return Object.fromEntries(ROLE_NAMES.map((role) => [role, randomBytes(24).toString('base64url')])) as Tokens;
}

/** What kube-apiserver reads with --token-auth-file: token, user, uid, "group,group". */
export function renderTokenFile(tokens: Tokens): string {
  const lines = ROLE_NAMES.map(
    (role) => `${tokens[role]},${ROLES[role].user},${role},"${ROLES[role].groups.join(',')}"`,
  );
  return `${lines.join('\n')}\n`;
}

/** The private key that signs the tokens of service accounts, as PEM; the public half is derived from it. */
export function createServiceAccountKey(): string {
  return generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey.export({
    type: 'pkcs1',
    format: 'pem',
  }) as string;
}

interface KubeconfigInput {
  readonly server: string;
  /** PEM. */
  readonly caData: string;
  readonly tokens: Tokens;
}

/** A kubeconfig with one user and one context per role; `admin` is current. It verifies the server's certificate. */
export function renderKubeconfig({ server, caData, tokens }: KubeconfigInput): string {
  const users = ROLE_NAMES.map((role) => `  - name: ${role}\n    user: { token: ${tokens[role]} }\n`);
  const contexts = ROLE_NAMES.map((role) => `  - name: ${role}\n    context: { cluster: lab, user: ${role} }\n`);
  return `apiVersion: v1
kind: Config
current-context: admin
clusters:
  - name: lab
    cluster:
      server: ${server}
      certificate-authority-data: ${Buffer.from(caData).toString('base64')}
users:
${users.join('')}contexts:
${contexts.join('')}`;
}
