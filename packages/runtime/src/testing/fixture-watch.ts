import type { ServerResponse } from 'node:http';
import type { Fault } from './fixture-faults.ts';
import { type FixtureResource, versionText } from './fixture-resource.ts';

export interface FixtureWatchOptions {
  readonly response: ServerResponse;
  readonly resource: FixtureResource;
  readonly request: { readonly query: URLSearchParams };
  readonly fault: Fault | undefined;
}

/** One open watch of a fixture server, and the fault that will end it. */
export class FixtureWatch {
  readonly #options: FixtureWatchOptions;
  #events = 0;
  #bytes = 0;
  #done = false;

  constructor(options: FixtureWatchOptions) {
    this.#options = options;
    const { response, request } = options;
    response.writeHead(200, { 'content-type': 'application/json' });
    response.flushHeaders();
    const seconds = Number(request.query.get('timeoutSeconds') ?? 0);
    const timer = seconds > 0 ? setTimeout(() => this.end(), seconds * 1000) : undefined;
    response.on('close', () => {
      this.#done = true;
      clearTimeout(timer);
    });
  }

  /** Sends the changes after `version`. Without a version, sends all objects first, followed by a bookmark. */
  start(version: number | undefined): void {
    const { resource, response } = this.#options;
    let from = version;
    this.#strike(); // a fault may be due before the first event
    if (from === undefined) {
      const snapshot = resource.snapshot();
      for (const text of snapshot.texts) this.#send(`{"type":"ADDED","object":${text}}\n`);
      this.#send(bookmarkLine(snapshot.version, { 'k8s.io/initial-events-end': 'true' }));
      from = snapshot.version;
    }
    const stop = resource.watch(from, ({ line }) => this.#send(line));
    response.on('close', stop);
  }

  bookmark(version: number): void {
    this.#send(bookmarkLine(version, {}));
  }

  fail(code: number, message: string, keepOpen: boolean): void {
    if (this.#done) return;
    const status = { kind: 'Status', apiVersion: 'v1', status: 'Failure', code, message };
    this.#options.response.write(`${JSON.stringify({ type: 'ERROR', object: status })}\n`);
    this.#done = true;
    if (!keepOpen) this.#options.response.end();
  }

  /** Ends the watch without an error. */
  end(): void {
    if (this.#done) return;
    this.#done = true;
    this.#options.response.end();
  }

  /** Sends bytes that are not an event. */
  raw(text: string): void {
    this.#options.response.write(text);
  }

  #send(line: string): void {
    if (this.#done) return;
    const { response, fault } = this.#options;
    if (fault?.do === 'cut' && this.#bytes + line.length > fault.afterBytes) {
      this.#done = true;
      const half = Buffer.from(line).subarray(0, fault.afterBytes - this.#bytes);
      response.write(half, () => response.socket?.resetAndDestroy());
      return;
    }
    response.write(line);
    this.#bytes += line.length;
    this.#events++;
    this.#strike();
  }

  #strike(): void {
    const { response, fault } = this.#options;
    if (fault === undefined || !('afterEvents' in fault) || this.#events !== fault.afterEvents || this.#done) return;
    switch (fault.do) {
      case 'close':
        return this.end();
      case 'error':
        return this.fail(fault.code, 'made up by a fault', fault.keepOpen);
      case 'halfLine':
        response.write('{"type":"ADDED","object":{"metadata":{"name":"hal');
        return this.end();
      case 'garbage':
        response.write('{"type":"ADDED","obj\n');
        return;
      default:
        return fault satisfies never;
    }
  }
}

function bookmarkLine(version: number, annotations: object): string {
  const metadata = { resourceVersion: versionText(version), creationTimestamp: null, annotations };
  return `${JSON.stringify({ type: 'BOOKMARK', object: { kind: 'Pod', apiVersion: 'v1', metadata } })}\n`;
}
