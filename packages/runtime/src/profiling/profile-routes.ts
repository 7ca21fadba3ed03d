import type { IncomingMessage } from 'node:http';
import { type Clock, type Instant, SECOND } from '../clock.ts';
import { type HttpHandler, notFound, pathOf, queryOf, type Routes, sendText } from '../http-server.ts';
import { encodePprof, type PprofProfile } from './pprof-encoding.ts';
import { type Profiler, ProfilerBusyError } from './profiler.ts';
import { pprofOfCpu, pprofOfHeap } from './v8-profiles.ts';

const CPU_SECONDS = 30; // as in Go
const ALLOCATION_SECONDS = 10;

const INDEX = `<html><head><title>/debug/pprof/</title></head><body>
<p>Profiles of this process, as <code>go tool pprof</code> reads them; with <code>?format=devtools</code> as Chrome's
developer tools do. Blocking, goroutines, threads and traces have no counterpart here.</p>
<ul>
<li><a href="allocs">allocs</a>: what is allocated in the next <code>?seconds=${ALLOCATION_SECONDS}</code></li>
<li><a href="heap">heap</a>: what is in use, by where it was allocated</li>
<li><a href="profile">profile</a>: what the CPU does in the next <code>?seconds=${CPU_SECONDS}</code></li>
<li><a href="cmdline">cmdline</a>: how the process was started</li>
</ul></body></html>
`;

/**
 * Upstream's profiling routes, with the profiles that Node can provide (spec 05 §2.5). Served only if profiling is
 * enabled.
 */
export function profileRoutes(profiler: Profiler, clock: Clock): Routes {
  const during = (request: IncomingMessage, seconds: number): Promise<void> => {
    const asked = Number(queryOf(request).get('seconds'));
    return clock.sleep((asked > 0 ? asked : seconds) * SECOND, untilGone(request)).catch(() => undefined);
  };
  return {
    '/debug/pprof/': (request, response) => {
      if (pathOf(request) !== '/debug/pprof/') return notFound(request, response);
      response.writeHead(200, { 'content-type': 'text/html; charset=utf-8' }).end(INDEX);
    },
    '/debug/pprof/profile': serveProfile(clock, {
      file: { pprof: 'profile', devtools: 'profile.cpuprofile' },
      take: (request) => profiler.cpu(during(request, CPU_SECONDS)),
      convert: pprofOfCpu,
    }),
    '/debug/pprof/heap': serveProfile(clock, {
      file: { pprof: 'heap', devtools: 'heap.heapprofile' },
      take: () => profiler.heap(),
      convert: (raw, startedAt) => pprofOfHeap(raw, 'inuse_space', startedAt),
    }),
    '/debug/pprof/allocs': serveProfile(clock, {
      file: { pprof: 'allocs', devtools: 'allocs.heapprofile' },
      take: (request) => profiler.allocations(during(request, ALLOCATION_SECONDS)),
      convert: (raw, startedAt) => pprofOfHeap(raw, 'alloc_space', startedAt),
    }),
    '/debug/pprof/cmdline': (_request, response) => sendText(response, 200, process.argv.join('\0')),
    // Profiles contain the names.
    '/debug/pprof/symbol': (_request, response) => sendText(response, 200, 'num_symbols: 0\n'),
  };
}

/** A type of profile, with its names in V8 and in pprof. */
interface ProfileKind<T> {
  readonly file: { readonly pprof: string; readonly devtools: string };
  readonly take: (request: IncomingMessage) => Promise<T>;
  readonly convert: (raw: T, startedAt: Instant) => PprofProfile;
}

function serveProfile<T>(clock: Clock, { file, take, convert }: ProfileKind<T>): HttpHandler {
  return async (request, response) => {
    const startedAt = clock.now();
    try {
      const raw = await take(request);
      const isForDevtools = queryOf(request).get('format') === 'devtools';
      response.writeHead(200, download(isForDevtools ? file.devtools : file.pprof));
      response.end(isForDevtools ? JSON.stringify(raw) : encodePprof(convert(raw, startedAt)));
    } catch (error) {
      if (!(error instanceof ProfilerBusyError)) throw error;
      sendText(response, 500, `Could not enable ${error.message}\n`);
    }
  };
}

function download(file: string): Record<string, string> {
  return {
    'content-type': 'application/octet-stream',
    'content-disposition': `attachment; filename="${file}"`,
    'x-content-type-options': 'nosniff',
  };
}

/** Aborts when the client disconnects, because nobody waits for the profile then. */
function untilGone(request: IncomingMessage): AbortSignal {
  const gone = new AbortController();
  request.socket.once('close', () => gone.abort());
  return gone.signal;
}
