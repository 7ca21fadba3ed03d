import type { TransportRequest, TransportResponse } from '@karpenter-ts/runtime';

/** Requests to be refused, and with which code. */
export interface Refusal {
  readonly method: TransportRequest['method'];
  /** Tried on the path without its query. */
  readonly path: RegExp;
  readonly code: 403 | 404 | 409 | 422 | 500;
  /** How many of them; 1 unless given. */
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

  /** From now on, until it has happened so many times. */
  add(refusal: Refusal): void {
    this.#pending.push({ refusal, left: refusal.times ?? 1 });
  }

  /** The refusal of this request; undefined if it is none of those. */
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
