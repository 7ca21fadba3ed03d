import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client, findConnection, HttpsTransport, nullLogger, realClock } from '@karpenter-ts/runtime';
import { type Lab, startLab } from '../lab/lab.ts';
import { ApiProxy } from './api-proxy.ts';
import { type ControllerProcess, type ProviderName, startController } from './controller-process.ts';
import { installCrds } from './crds.ts';
import { Tenant } from './tenant.ts';
import { until } from './until.ts';

/** A control plane of its own, prepared for a Karpenter that has only the documented rights. */
export interface Installation {
  readonly lab: Lab;
  /** As admin, and not through the proxy. */
  readonly client: Client;
  /** Every controller goes through it. */
  readonly proxy: ApiProxy;
  /** Starts a controller; it is stopped with the rest, if it still runs. */
  start(env?: Readonly<Record<string, string>>): ControllerProcess;
  /** Kills the controllers that still run: a case that failed must not spoil the next. */
  killControllers(): Promise<unknown>;
  /** Makes room for a case. */
  addTenant(name: string): Promise<Tenant>;
  /** Ends everything; rejects if a controller that ran could not end in order. */
  stop(): Promise<void>;
}

const MANIFESTS = join(import.meta.dirname, '../manifests');

/**
 * Starts a lab of this name, with the CRDs of a provider, the service account and its rights. No controller runs yet.
 */
export async function install(name: string, provider: ProviderName = 'kwok'): Promise<Installation> {
  const lab = await startLab({ name: `${name}-${process.pid}` });
  await installCrds(lab, provider);
  for (const manifest of ['rbac.yaml', `rbac-${provider}.yaml`]) {
    await lab.kubectl(['create', '-f', join(MANIFESTS, manifest)]);
  }
  await untilEntitled(lab, provider);
  const env = { KUBECONFIG: lab.kubeconfigPath };
  const transport = new HttpsTransport({
    connection: await findConnection({ env }),
    clock: realClock,
    logger: nullLogger,
    env,
  });
  const client = new Client({ transport, clock: realClock, userAgent: 'karpenter/e2e' });
  const proxy = new ApiProxy(lab);
  const folder = mkdtempSync(join(tmpdir(), 'karpenter-e2e-'));
  const kubeconfigPath = writeKubeconfig(folder, await proxy.start(), lab);
  const controllers: ControllerProcess[] = [];
  const running = () => controllers.filter(({ isRunning }) => isRunning);
  return {
    lab,
    client,
    proxy,
    start: (settings) => {
      const controller = startController(kubeconfigPath, settings, provider);
      controllers.push(controller);
      return controller;
    },
    killControllers: () => Promise.all(running().map((controller) => controller.kill())),
    addTenant: (tenant) => Tenant.open(client, tenant),
    stop: async () => {
      const ends = await Promise.allSettled(running().map((controller) => controller.stop()));
      proxy.stop();
      transport.close();
      rmSync(folder, { recursive: true });
      await lab.stop();
      assert.deepEqual(
        ends.filter(({ status }) => status === 'rejected'),
        [],
      );
    },
  };
}

type Right = readonly string[];

/** One right of each binding in the manifests. */
const RIGHTS: readonly Right[] = [
  ['delete', 'nodeclaims.karpenter.sh'],
  ['create', 'leases.coordination.k8s.io', '--namespace', 'kube-system'],
];
const PROVIDER_RIGHTS: Readonly<Record<ProviderName, readonly Right[]>> = {
  aws: [
    ['patch', 'ec2nodeclasses.karpenter.k8s.aws'],
    ['get', 'services/kube-dns', '--namespace', 'kube-system'],
  ],
  kwok: [['create', 'nodes']],
};

/** Resolves when the API server has loaded the RBAC rules; otherwise a fast controller would be refused. */
async function untilEntitled(lab: Lab, provider: ProviderName): Promise<void> {
  for (const right of [...RIGHTS, ...PROVIDER_RIGHTS[provider]]) {
    await until(`the controller may ${right.join(' ')}`, async () => {
      await lab.kubectl(['auth', 'can-i', '--context', 'karpenter', ...right]); // fails while it may not
      return true;
    });
  }
}

function writeKubeconfig(folder: string, server: string, { caData, tokens }: Lab): string {
  const path = join(folder, 'kubeconfig');
  const kubeconfig = {
    clusters: [{ name: 'lab', cluster: { server, 'certificate-authority-data': toBase64(caData) } }],
    users: [{ name: 'karpenter', user: { token: tokens.karpenter } }],
    contexts: [{ name: 'lab', context: { cluster: 'lab', user: 'karpenter' } }],
    'current-context': 'lab',
  };
  writeFileSync(path, JSON.stringify(kubeconfig), { mode: 0o600 });
  return path;
}

function toBase64(text: string): string {
  return Buffer.from(text).toString('base64');
}
