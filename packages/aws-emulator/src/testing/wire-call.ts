import type { Emulator } from '../emulator.ts';

export interface WireAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Readonly<Record<string, unknown>>;
}

/** Requests as they are on the wire, without an SDK: for what its clients hide, and services that it has no client of. */
export function callerOf(emulator: Pick<Emulator, 'handle'>) {
  const send = async (service: string, request: { method: string; path: string; headers?: object; body?: string }) => {
    const authorization = `AWS4-HMAC-SHA256 Credential=AKIATEST/20260101/us-east-1/${service}/aws4_request, Signature=0`;
    const headers = { authorization, ...request.headers };
    const answer = await emulator.handle({ body: '', ...request, headers });
    return { ...answer, body: JSON.parse(answer.body) as Readonly<Record<string, unknown>> };
  };
  return {
    json: (service: string, target: string, input: object): Promise<WireAnswer> =>
      send(service, { method: 'POST', path: '/', headers: { 'x-amz-target': target }, body: JSON.stringify(input) }),
    get: (service: string, path: string): Promise<WireAnswer> => send(service, { method: 'GET', path }),
  };
}
