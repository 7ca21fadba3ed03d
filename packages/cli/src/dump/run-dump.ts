import { Client, findConnection, HttpsTransport, nullLogger, realClock, userAgent } from '@karpenter-ts/runtime';
import type { Io } from '../io.ts';
import { refuse } from '../plan/document-input.ts';
import { printableJson } from '../render/printable.ts';
import { version } from '../version.ts';
import { dumpCluster } from './dump-cluster.ts';

/** Prints the cluster that kubeconfig or the service account names as a cluster file. */
export async function runDump(catalogue: string | undefined, io: Io, env: NodeJS.ProcessEnv): Promise<void> {
  const connection = await findConnection({ env });
  const transport = new HttpsTransport({ connection, clock: realClock, logger: nullLogger, env });
  try {
    const client = new Client({ transport, clock: realClock, userAgent: userAgent(version()) });
    const dump = await dumpCluster(client, catalogue, io.unwritable);
    if ('problem' in dump) return refuse(io, [dump.problem]);
    io.stdout.write(`${printableJson(JSON.stringify(dump.content, undefined, 1))}\n`);
  } finally {
    transport.close();
  }
}
