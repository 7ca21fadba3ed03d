import type { RequestHandler } from '../client/in-process-transport.ts';
import type { TransportResponse } from '../client/transport.ts';
import type { Lease } from '@karpenter-ts/kubernetes';

/** An accepted write, as seen by the server. */
export interface LoggedWrite {
  /** The user agent of the sender. */
  readonly writer: string;
  /** The holder of the lease at that moment. */
  readonly holder: string;
  readonly body: Readonly<Record<string, unknown>>;
}

const OBJECTS = /^\/apis\/coordination\.k8s\.io\/v1\/namespaces\/[^/]+\/leases(?:\/[^/]+)?$/;

/**
 * The part of an API server that leader election needs: one Lease with optimistic concurrency. A `POST` to any other
 * path stands for a leader's work and is only logged.
 */
export class LeaseApi {
  lease: Lease | undefined;
  readonly writes: LoggedWrite[] = [];
  /** The methods of all requests for the Lease, for tests that count them. */
  readonly requests: string[] = [];
  /** If set, every request for the Lease fails with this status. */
  failWith: number | undefined;
  #version = 0;

  /** For `inProcessTransport`, or behind an HTTP server. */
  readonly handle: RequestHandler = async ({ method, path, headers, body }) => {
    const parsed = body === undefined ? {} : JSON.parse(body.toString());
    if (OBJECTS.test(path)) return this.#handleLease(method, parsed);
    this.writes.push({
      writer: headers['user-agent'] ?? '',
      holder: this.lease?.spec?.holderIdentity ?? '',
      body: parsed,
    });
    return respond(201, parsed);
  };

  #handleLease(method: string, sent: Lease): TransportResponse {
    this.requests.push(method);
    if (this.failWith !== undefined) return refuse(this.failWith, 'InternalError');
    if (method === 'POST') return this.lease === undefined ? this.#store(sent, 201) : refuse(409, 'AlreadyExists');
    if (this.lease === undefined) return refuse(404, 'NotFound');
    if (method === 'GET') return respond(200, this.lease);
    const isCurrent = sent.metadata.resourceVersion === this.lease.metadata.resourceVersion;
    return isCurrent ? this.#store(sent, 200) : refuse(409, 'Conflict');
  }

  #store(lease: Lease, status: number): TransportResponse {
    this.lease = { ...lease, metadata: { ...lease.metadata, resourceVersion: String(++this.#version) } };
    return respond(status, this.lease);
  }
}

function refuse(code: number, reason: string): TransportResponse {
  return respond(code, { kind: 'Status', code, reason, message: `${reason}, says the test` });
}

function respond(status: number, body: unknown): TransportResponse {
  return {
    status,
    headers: { 'content-type': 'application/json' },
    body: (async function* () {
      yield Buffer.from(JSON.stringify(body));
    })(),
    discard: () => {},
  };
}
