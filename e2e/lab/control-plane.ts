import { join } from 'node:path';
import { type ComponentName, moduleFolder } from './components.ts';
import type { Tokens } from './credentials.ts';
import type { Probe } from './readiness.ts';

/** The foundation: what every lab has, in the order it starts; everything else needs all of it. */
export const FOUNDATION = ['etcd', 'kube-apiserver'] as const satisfies readonly ComponentName[];

/** The components that keep running. */
export const SERVICE_NAMES = [
  ...FOUNDATION,
  'kube-controller-manager',
  'kube-scheduler',
  'kwok',
] as const satisfies readonly ComponentName[];

/** One of the components that keep running. */
export type ServiceName = (typeof SERVICE_NAMES)[number];

/** True for a part of the foundation. */
export function isFoundation(name: ServiceName): boolean {
  return FOUNDATION.some((part) => part === name);
}

/** Where one lab lives. */
export interface ControlPlaneConfig {
  readonly folder: string;
  readonly ports: Readonly<Record<ServiceName, number>>;
  readonly tokens: Tokens;
}

/** How a component is started in a lab, and when it counts as ready. */
interface Service {
  readonly args: (site: ControlPlaneConfig) => readonly string[];
  readonly probes: (site: ControlPlaneConfig) => readonly Probe[];
}

/** The token file of the API server. */
export const tokenFilePath = (site: ControlPlaneConfig): string => join(site.folder, 'tokens.csv');
/** Signs and verifies the tokens of service accounts. */
export const serviceAccountKeyPath = (site: ControlPlaneConfig): string => join(site.folder, 'service-account.key');
/** Of every role; `admin` is the current one, which the components use too. */
export const kubeconfigPath = (site: ControlPlaneConfig): string => join(site.folder, 'kubeconfig');
/** The address of the API server. */
export const serverUrl = (site: ControlPlaneConfig): string => `https://127.0.0.1:${site.ports['kube-apiserver']}`;

/** The certificate the API server makes for itself when it starts, with its issuer: what clients verify it by. */
export const serverCertificatePath = (site: ControlPlaneConfig): string => join(site.folder, 'certs', 'apiserver.crt');

/** The key to that certificate. */
export const serverKeyPath = (site: ControlPlaneConfig): string => join(site.folder, 'certs', 'apiserver.key');

// A lab has one user on one host, so the API server need not be shared fairly: these settings raise client rate limits
// that would otherwise slow tests down (20 requests/s for the controller manager, 50 for the scheduler).
const UNTHROTTLED = ['--kube-api-qps=1000', '--kube-api-burst=2000'];

/** How each service is run. All listen on loopback only. */
export const SERVICES: Readonly<Record<ServiceName, Service>> = {
  etcd: {
    args: ({ folder, ports }) => [
      `--data-dir=${join(folder, 'etcd')}`,
      `--listen-client-urls=http://127.0.0.1:${ports.etcd}`,
      `--advertise-client-urls=http://127.0.0.1:${ports.etcd}`,
      '--listen-peer-urls=http://127.0.0.1:0', // any port: there are no peers
      '--unsafe-no-fsync', // the data does not outlive the lab
    ],
    probes: ({ ports }) => [{ url: `http://127.0.0.1:${ports.etcd}/readyz` }],
  },

  'kube-apiserver': {
    args: (site) => [
      ...secureServing(site, 'kube-apiserver'),
      `--etcd-servers=http://127.0.0.1:${site.ports.etcd}`,
      '--advertise-address=127.0.0.1', // else it looks for a default route, which a host may not have
      '--endpoint-reconciler-type=none', // a loopback address is not allowed as an endpoint
      '--service-cluster-ip-range=10.96.0.0/16',
      `--token-auth-file=${tokenFilePath(site)}`,
      '--authorization-mode=RBAC',
      `--service-account-key-file=${serviceAccountKeyPath(site)}`,
      `--service-account-signing-key-file=${serviceAccountKeyPath(site)}`,
      '--service-account-issuer=https://kubernetes.default.svc',
      '--disable-admission-plugins=ServiceAccount', // pods need not wait for the account of a new namespace
    ],
    probes: (site) => [
      { url: `${serverUrl(site)}/readyz`, caPath: serverCertificatePath(site), token: site.tokens.admin },
      // Made in the background; a client that is quick would find it missing.
      {
        url: `${serverUrl(site)}/api/v1/namespaces/default`,
        caPath: serverCertificatePath(site),
        token: site.tokens.admin,
      },
    ],
  },

  'kube-controller-manager': {
    // All controllers, node-lifecycle included: it removes the not-ready taint, without which no node initialises.
    args: (site) => [
      ...secureServing(site, 'kube-controller-manager'),
      `--kubeconfig=${kubeconfigPath(site)}`,
      '--leader-elect=false',
      `--service-account-private-key-file=${serviceAccountKeyPath(site)}`,
      `--root-ca-file=${serverCertificatePath(site)}`,
      ...UNTHROTTLED,
    ],
    probes: (site) => [secureProbe(site, 'kube-controller-manager', '/healthz')],
  },

  'kube-scheduler': {
    args: (site) => [
      ...secureServing(site, 'kube-scheduler'),
      `--kubeconfig=${kubeconfigPath(site)}`,
      '--leader-elect=false',
      ...UNTHROTTLED,
    ],
    probes: (site) => [secureProbe(site, 'kube-scheduler', '/readyz')],
  },

  kwok: {
    args: (site) => [
      `--kubeconfig=${kubeconfigPath(site)}`,
      `--config=${join(moduleFolder('kwok'), 'stages.yaml')}`,
      `--server-address=127.0.0.1:${site.ports.kwok}`,
      '--manage-nodes-with-annotation-selector=kwok.x-k8s.io/node=fake',
    ],
    probes: ({ ports }) => [{ url: `http://127.0.0.1:${ports.kwok}/readyz` }],
  },
};

function secureServing({ folder, ports }: ControlPlaneConfig, name: ServiceName): readonly string[] {
  return ['--bind-address=127.0.0.1', `--secure-port=${ports[name]}`, `--cert-dir=${join(folder, 'certs')}`];
}

function secureProbe({ folder, ports }: ControlPlaneConfig, name: ServiceName, path: string): Probe {
  return { url: `https://127.0.0.1:${ports[name]}${path}`, caPath: join(folder, 'certs', `${name}.crt`) };
}
