import type { TransportRequest, TransportResponse } from '@karpenter-ts/runtime';

/** Requests to refuse, and the status code to answer. */
export interface Refusal {
  readonly method: TransportRequest['method'];
  /** Matched against the path without its query. */
  readonly path: RegExp;
  readonly code: 403 | 404 | 409 | 422 | 500;
  /** How many requests to refuse; 1 by default. */
  readonly times?: number;
}

const REASONS: Readonly<Record<Refusal['code'], string>> = {
  403: 'Forbidden',
  404: 'NotFound',
  409: 'Conflict',
  422: 'Invalid',
  500: 'InternalError',
};

/** Requests the API server of a test refuses before it looks at them. */
export class Refusals {
  readonly #pending: { readonly refusal: Refusal; left: number }[] = [];

  /** Refuses matching requests from now on, as many as it says. */
  add(refusal: Refusal): void {
    this.#pending.push({ refusal, left: refusal.times ?? 1 });
  }

  /** The answer to a request that is refused; undefined for any other. */
  answer({ method, path }: TransportRequest): TransportResponse | undefined {
    const [plain = ''] = path.split('?');
    const due = this.#pending.find(
      (one) => one.left > 0 && one.refusal.method === method && one.refusal.path.test(plain),
    );
    if (due === undefined) return undefined;
    due.left--;
    return statusAnswer(due.refusal.code);
  }
}

function statusAnswer(code: Refusal['code']): TransportResponse {
  const status = {
    kind: 'Status',
    apiVersion: 'v1',
    status: 'Failure',
    reason: REASONS[code],
    code,
    message: 'refused',
  };
  return {
    status: code,
    headers: { 'content-type': 'application/json' },
    body: (async function* () {
      yield Buffer.from(JSON.stringify(status));
    })(),
    discard: () => undefined,
  };
}
