import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { ConnectionResetError, type WireRequest, type WireResponse } from './message.ts';

export interface Listening {
  /** `http://127.0.0.1:…` */
  readonly endpoint: string;
  close(): Promise<void>;
}

type Handle = (request: WireRequest, signal: AbortSignal) => Promise<WireResponse>;

/** Serves on the loopback address; port 0 is any free one. */
export async function serveHttp(handle: Handle, port: number): Promise<Listening> {
  const server = createServer((incoming, outgoing) => void respond(handle, incoming, outgoing));
  server.keepAliveTimeout = 60_000;
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, '127.0.0.1', resolve);
  });
  const { port: actual } = server.address() as AddressInfo;
  return { endpoint: `http://127.0.0.1:${actual}`, close: () => close(server) };
}

async function respond(handle: Handle, incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> {
  const gone = new AbortController();
  outgoing.once('close', () => gone.abort());
  try {
    const response = await handle(await read(incoming), gone.signal);
    if (gone.signal.aborted) return;
    const bytes = Buffer.from(response.body);
    const { length } = bytes;
    outgoing.writeHead(response.status, {
      ...response.headers,
      'content-length': response.isCut ? length * 2 : length,
    });
    if (response.isCut) outgoing.write(bytes, () => outgoing.destroy());
    else outgoing.end(bytes);
  } catch (error) {
    if (error instanceof ConnectionResetError || gone.signal.aborted) incoming.socket.resetAndDestroy();
    else outgoing.writeHead(500).end(String(error));
  }
}

async function read(incoming: IncomingMessage): Promise<WireRequest> {
  const chunks: Buffer[] = [];
  for await (const chunk of incoming) chunks.push(chunk as Buffer);
  const headers: Record<string, string> = {};
  for (const [name, value] of Object.entries(incoming.headers)) {
    if (value !== undefined) headers[name] = Array.isArray(value) ? value.join(', ') : value;
  }
  return {
    method: incoming.method ?? 'GET',
    path: incoming.url ?? '/',
    headers,
    body: Buffer.concat(chunks).toString('utf8'),
  };
}

function close(server: Server): Promise<void> {
  return new Promise((resolve) => {
    server.close(() => resolve());
    server.closeAllConnections();
  });
}
