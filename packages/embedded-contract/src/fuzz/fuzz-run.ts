import { customResourceDefinition, RESOURCES } from '@karpenter-ts/apis';
import { type ApiObject, CUSTOM_RESOURCE_DEFINITIONS, NAMESPACES } from '@karpenter-ts/kubernetes';
import { Client, MINUTE, SECOND, type SteadyClock, type Transport } from '@karpenter-ts/runtime';
import { NODE_POOLS } from '@karpenter-ts/apis';
import { xorshift32 } from '@karpenter-ts/embedded';
import { Rng } from './rng.ts';
import { type FuzzAnswer, FuzzSession } from './fuzz-session.ts';
import { FUZZ_NAMESPACES, type FuzzRequest, randomRequest } from './random-request.ts';

/** The server under test. Its content may be lost. */
export interface FuzzTarget {
  readonly transport: Transport;
  readonly clock: SteadyClock;
}

/** A request and what became of it. */
export interface FuzzOutcome {
  readonly request: FuzzRequest;
  readonly answer: FuzzAnswer;
}

/**
 * Sends `count` requests that follow from the seed, one after the other, to a server without controllers. Equal servers
 * give equal answers. Rejects if a response takes longer than a minute.
 */
export async function* fuzz(target: FuzzTarget, seed: number, count: number): AsyncGenerator<FuzzOutcome> {
  await prepare(target);
  const rng = new Rng(xorshift32(seed));
  const session = new FuzzSession(target.transport);
  for (let sent = 0; sent < count; sent++) {
    const request = randomRequest(rng);
    const timeout = new AbortController();
    const cancel = target.clock.after(MINUTE, () => timeout.abort(new Error(`no answer: ${titleOf(request)}`)));
    yield { request, answer: await session.send(request, timeout.signal) };
    cancel();
  }
}

/**
 * Whether our status code corresponds to that of a real server. Where the real server answers a bad request with 5xx,
 * ours must answer 4xx.
 */
export function isSameCode(own: number, real: number): boolean {
  return real < 500 ? own === real : own >= 400 && own < 500;
}

/** For reports. */
export function titleOf({ method, path, headers, body }: FuzzRequest): string {
  return [method, path, JSON.stringify(headers), ...(body === undefined ? [] : [body])].join(' ');
}

async function prepare({ transport, clock }: FuzzTarget): Promise<void> {
  const client = new Client({ transport, clock, userAgent: 'fuzz' });
  for (const name of FUZZ_NAMESPACES) {
    await client.create<ApiObject>(NAMESPACES, { metadata: { name } });
  }
  const nodePool = RESOURCES.core.find(({ kind }) => kind === 'NodePool');
  if (nodePool === undefined) throw new Error('NodePool is not among the kinds');
  await client.create(CUSTOM_RESOURCE_DEFINITIONS, customResourceDefinition(nodePool) as unknown as ApiObject);
  while (!(await client.serves(NODE_POOLS)) || !(await canList(transport))) await clock.sleep(0.1 * SECOND);
}

/** A real server says that it serves a new kind some moments before it can. */
async function canList(transport: Transport): Promise<boolean> {
  const path = `/apis/${NODE_POOLS.group}/${NODE_POOLS.version}/${NODE_POOLS.plural}`;
  const response = await transport.send({ method: 'GET', path, headers: { accept: 'application/json' } });
  response.discard();
  return response.status === 200;
}
