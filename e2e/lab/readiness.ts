import { existsSync, readFileSync } from 'node:fs';
import { get as getHttp } from 'node:http';
import { get as getHttps } from 'node:https';
import { setTimeout } from 'node:timers/promises';

/** A question that a component answers with 200 once it can be used. */
export interface Probe {
  readonly url: string;
  /** The certificate that the component serves with and that it writes when it starts. */
  readonly caPath?: string;
  readonly token?: string;
}

const INTERVAL_MS = 50;
const ANSWER_WITHIN_MS = 5_000;

/** Asks until every probe has been answered with 200. Only the signal ends it earlier, by throwing its reason. */
export async function waitUntilReady(probes: readonly Probe[], signal: AbortSignal): Promise<void> {
  for (const probe of probes) {
    while (!(await isReady(probe))) {
      await setTimeout(INTERVAL_MS);
      signal.throwIfAborted();
    }
  }
}

function isReady({ url, caPath, token }: Probe): Promise<boolean> {
  if (caPath !== undefined && !existsSync(caPath)) return Promise.resolve(false);
  const options = {
    timeout: ANSWER_WITHIN_MS,
    agent: false, // else a kept connection would keep us from ending
    headers: token === undefined ? {} : { authorization: `Bearer ${token}` },
  } as const;
  return new Promise((resolve) => {
    const request =
      caPath === undefined ? getHttp(url, options) : getHttps(url, { ...options, ca: readFileSync(caPath) });
    request.on('response', (response) => {
      response.resume();
      resolve(response.statusCode === 200);
    });
    request.on('timeout', () => request.destroy());
    request.on('error', () => resolve(false)); // not there yet, or not yet able to answer
  });
}
