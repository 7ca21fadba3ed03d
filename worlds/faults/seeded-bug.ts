import { DO_NOT_DISRUPT } from '@karpenter-ts/apis';
import { type CloudProvider, NodeClaimNotFoundError } from '@karpenter-ts/cloudprovider';
import type { SdkHandler } from '@karpenter-ts/aws-emulator';
import type { Transport, TransportRequest, TransportResponse } from '@karpenter-ts/runtime';
import type { Invariant } from '../invariants/violation.ts';
import { refusal } from './api-fault.ts';
import { AWS_BUGS } from './aws-bugs.ts';
import { DISRUPTION_BUGS } from './disruption-bugs.ts';

/**
 * A bug that is put into the operator by wrapping its connection to the API server or its provider. It proves that an
 * invariant can fail.
 */
export interface SeededBug {
  /** The invariant that must be violated. */
  readonly breaks: Invariant;
  /** Names of worlds in which it shows, if it seldom does elsewhere. */
  readonly worlds?: readonly string[];
  /** The cloud of the worlds in which it shows, unless in the usual ones. */
  readonly cloud?: 'aws';
  readonly transport?: (transport: Transport) => Transport;
  readonly provider?: (provider: CloudProvider) => CloudProvider;
  /** Between the provider and AWS. */
  readonly aws?: (connection: SdkHandler) => SdkHandler;
}

/** Named after what an operator with this bug does. */
export const SEEDED_BUGS: Readonly<Record<string, SeededBug>> = {
  'forgets instances': { breaks: 'leak', provider: deletingNothing },
  'launches twice': { breaks: 'double', provider: creatingTwice },
  'deletes pods instead of evicting them': { breaks: 'budget', transport: rewriting(evictionToDeletion) },
  'does not see what is protected': { breaks: 'protection', transport: hidingProtection },
  'never gets a claim written': { breaks: 'running', transport: refusing('POST', /\/nodeclaims$/) },
  'never lets a node go': {
    breaks: 'stuck',
    transport: refusing('PATCH', /\/nodes\/[^/]+$/, 'deleteFromPrimitiveList'),
  },
  'trips over its own types': { breaks: 'crash', provider: listingUndefined },
  'keeps all it has read': { breaks: 'memory', transport: keepingResponses },
  ...DISRUPTION_BUGS,
  ...AWS_BUGS,
};

/** Reports instances as gone without deleting them. */
function deletingNothing(provider: CloudProvider): CloudProvider {
  return derived(provider, {
    delete: async () => {
      throw new NodeClaimNotFoundError(new Error('surely'));
    },
  });
}

function creatingTwice(provider: CloudProvider): CloudProvider {
  return derived(provider, {
    create: async (nodeClaim, signal) => {
      await provider.create(nodeClaim, signal);
      return provider.create(nodeClaim, signal);
    },
  });
}

/** Returns a value of the wrong type, which no compiler finds where there is an `any`. */
function listingUndefined(provider: CloudProvider): CloudProvider {
  return derived(provider, {
    list: async (signal) => {
      await provider.list(signal);
      return undefined as unknown as [];
    },
  });
}

function derived(provider: CloudProvider, own: Partial<CloudProvider>): CloudProvider {
  return Object.assign(Object.create(provider) as CloudProvider, own);
}

type Rewrite = (request: TransportRequest) => TransportRequest;

function rewriting(rewrite: Rewrite): (transport: Transport) => Transport {
  return (transport) => ({
    send: (request, signal) => transport.send(rewrite(request), signal),
    close: () => transport.close(),
  });
}

function evictionToDeletion(request: TransportRequest): TransportRequest {
  if (!request.path.endsWith('/eviction')) return request;
  const { body: _, ...rest } = request;
  return { ...rest, method: 'DELETE', path: request.path.replace('/eviction', '') };
}

function refusing(method: TransportRequest['method'], path: RegExp, word = ''): (transport: Transport) => Transport {
  return (transport) => ({
    send: async (request, signal) => {
      const isMeant = request.method === method && path.test(request.path) && String(request.body).includes(word);
      return isMeant ? refusal(500) : transport.send(request, signal);
    },
    close: () => transport.close(),
  });
}

/** Renames the annotation in all responses, to a name of the same length. */
function hidingProtection(transport: Transport): Transport {
  const hidden = DO_NOT_DISRUPT.replace('disrupt', 'disturb');
  return onResponses(transport, (chunk) =>
    Buffer.from(chunk.toString('latin1').replaceAll(DO_NOT_DISRUPT, hidden), 'latin1'),
  );
}

function keepingResponses(transport: Transport): Transport {
  const kept: Buffer[] = [];
  return onResponses(transport, (chunk) => {
    kept.push(Buffer.from(chunk));
    return chunk;
  });
}

function onResponses(transport: Transport, change: (chunk: Buffer) => Buffer): Transport {
  async function* changed({ body }: TransportResponse): AsyncGenerator<Buffer> {
    for await (const chunk of body) yield change(chunk);
  }
  return {
    send: async (request, signal) => {
      const answer = await transport.send(request, signal);
      return { ...answer, body: changed(answer), discard: () => answer.discard() };
    },
    close: () => transport.close(),
  };
}
