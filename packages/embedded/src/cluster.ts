import { randomBytes } from 'node:crypto';
import {
  type ApiObject,
  CUSTOM_RESOURCE_DEFINITIONS,
  type JsonObject,
  type Node,
  NODES,
} from '@karpenter-ts/kubernetes';
import { Client, inProcessTransport, type Logger, type SteadyClock, type Transport } from '@karpenter-ts/runtime';
import { issueCertificate } from './apiserver/https/certificates.ts';
import { type HttpsServer, serveHttps } from './apiserver/https/https-server.ts';
import { createKubeconfig } from './apiserver/https/kubeconfig.ts';
import { xorshift32 } from './apiserver/identity.ts';
import { ApiServer } from './apiserver/server.ts';
import { Faults } from './kubelet/faults.ts';
import type { KubeletSettings } from './kubelet/settings.ts';

export interface ClusterOptions {
  /** The host's, or a virtual one: with a virtual clock, nothing happens in the cluster until it is advanced. */
  readonly clock: SteadyClock;
  /** UIDs, generated names and all other choices follow from it. */
  readonly seed: number;
  /** There from the start, in this order; none unless given. */
  readonly crds?: readonly JsonObject[];
  readonly nodes?: readonly Node[];
  /** How quick the simulated kubelets are, where not at once. */
  readonly kubelet?: Partial<KubeletSettings>;
  /** Serves HTTPS on the loopback address, too; port 0 is any free one. There must be nothing at the kubeconfig's path. */
  readonly listen?: { readonly port: number; readonly kubeconfigPath: string };
  /** Of the controllers; nothing is logged unless given. */
  readonly logger?: Logger;
}

/** A control plane with simulated kubelets, in this process. */
export interface Cluster {
  readonly client: Client;
  /** For clients of one's own. */
  readonly transport: Transport;
  /** What to break about nodes. */
  readonly faults: Faults;
  /** How others reach it; undefined when it does not listen. */
  readonly access: ClusterAccess | undefined;
  /** Settles when the cluster has stopped. Rejects when part of it fails, which stops the whole. */
  readonly stopped: Promise<void>;
  /** Stops everything and leaves nothing behind: no timer, no port, no file. Rejects as `stopped` does. */
  stop(): Promise<void>;
}

export interface ClusterAccess {
  /** `https://127.0.0.1:…` */
  readonly server: string;
  /** The certificate by which clients know the server, in PEM. */
  readonly certificateAuthority: string;
  readonly kubeconfigPath: string;
  /** Removes the kubeconfig at once, for a process that has no time to stop the cluster. Does nothing a second time. */
  removeKubeconfig(): void;
}

const USER_AGENT = 'karpenter-embedded';

/**
 * Starts an API server, a scheduler, the workload controllers and the kubelets of simulated nodes. When it resolves the
 * API is served; the controllers come up on their own, as they do in any cluster. It needs no time of the clock.
 */
export async function startCluster(options: ClusterOptions): Promise<Cluster> {
  const { clock, seed, crds = [], nodes = [] } = options;
  const random = xorshift32(seed);
  const server = new ApiServer({ clock, random });
  const transport = inProcessTransport((request, signal) => server.handle(request, signal), clock);
  const client = new Client({ transport, clock, userAgent: USER_AGENT });
  for (const crd of crds) await client.create(CUSTOM_RESOURCE_DEFINITIONS, crd as unknown as ApiObject);
  for (const node of nodes) await client.create(NODES, node);

  const stopping = new AbortController();
  const listening = options.listen && (await listen(server, options.listen, clock, stopping));
  const faults = new Faults();
  // Our own loops change nothing of what they read, so they get it as it is: decoding it again and again is much of the
  // work of a virtual hour.
  const ownClient = new Client({ transport, clock, userAgent: USER_AGENT, takesValues: true });
  const parts = { ...options, client: ownClient, random, faults };
  const load = async () => (await clock.track(import('./control-loops.ts'))).managerOf(parts);
  // They are half of the code: who is served over HTTPS need not wait for it. Without, equal seeds make equal runs.
  const manager = listening ? clock.sleep(0).then(load) : Promise.resolve(await load());
  const running = manager.then((loops) => loops.start(stopping.signal)).finally(() => stopping.abort());
  const stopped = end(running, listening, transport);
  stopped.catch(() => undefined); // whoever stops it, or waits for it, is told
  const stop = (): Promise<void> => {
    stopping.abort();
    return stopped;
  };
  return { client, transport, faults, access: listening?.access, stopped, stop };
}

interface Listening {
  readonly access: ClusterAccess;
  readonly front: HttpsServer;
}

async function listen(
  server: ApiServer,
  { port, kubeconfigPath }: NonNullable<ClusterOptions['listen']>,
  clock: SteadyClock,
  stopping: AbortController,
): Promise<Listening> {
  const certificate = issueCertificate(clock.now());
  const token = randomBytes(32).toString('base64url'); // a secret: nothing that a seed could tell
  const handler = (...asked: Parameters<ApiServer['handle']>) => server.handle(...asked);
  const front = await serveHttps({ handler, certificate, token, port }, stopping.signal);
  try {
    const { remove } = createKubeconfig(kubeconfigPath, { url: front.url, ca: certificate.ca, token });
    const access = {
      server: front.url,
      certificateAuthority: certificate.ca,
      kubeconfigPath,
      removeKubeconfig: remove,
    };
    return { access, front };
  } catch (error) {
    stopping.abort(); // a port that is left open would keep the process alive
    await front.closed;
    throw error;
  }
}

/** The file first: nobody should find the way to a server that is gone. */
async function end(running: Promise<void>, listening: Listening | undefined, transport: Transport): Promise<void> {
  try {
    await running;
  } finally {
    listening?.access.removeKubeconfig();
    await listening?.front.closed;
    transport.close();
  }
}
