import type { IncomingMessage, ServerResponse } from 'node:http';
import { pathOf, queryOf, type Routes, sendText } from './http-server.ts';
import type { Logger } from './logger.ts';

/** A health check: resolves if healthy, else throws the reason. Should answer at once. */
export type Check = () => void | Promise<void>;

/**
 * Health checks by name. Names are shown to every client, the reason of a failure only in the answer for that check.
 */
export type Checks = Readonly<Record<string, Check>>;

/** A check that always passes: the process runs and answers. */
export const ping: Check = () => {};

interface CheckStatus {
  readonly name: string;
  readonly outcome: 'ok' | 'failed' | 'excluded';
}

/**
 * The routes of one probe, such as `/readyz`, for all checks together and, below it, for each of them (spec 05 §2.4).
 */
export function probeRoutes(path: string, checks: Checks, logger: Logger): Routes {
  const ours = logger.named('controller-runtime').named('healthz');
  const handler = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const name = pathOf(request)
      .slice(path.length)
      .replace(/^\/+|\/+$/g, '');
    if (name === '') await answerAll(request, response, checks, ours);
    else await answerOne(response, Object.hasOwn(checks, name) ? checks[name] : undefined);
  };
  return { [path]: handler, [`${path}/`]: handler };
}

async function answerOne(response: ServerResponse, check: Check | undefined): Promise<void> {
  if (check === undefined) {
    sendText(response, 404, '404 page not found\n');
    return;
  }
  try {
    await check();
    sendText(response, 200, 'ok');
  } catch (error) {
    sendText(response, 500, `internal server error: ${reasonOf(error)}\n`);
  }
}

async function answerAll(
  request: IncomingMessage,
  response: ServerResponse,
  checks: Checks,
  logger: Logger,
): Promise<void> {
  const query = queryOf(request);
  const excluded = new Set(query.getAll('exclude'));
  const names = Object.keys(checks).toSorted();
  const statuses = await Promise.all(
    names.map(async (name): Promise<CheckStatus> => {
      if (excluded.has(name)) return { name, outcome: 'excluded' };
      return { name, outcome: (await passes(name, checks[name]!, logger)) ? 'ok' : 'failed' };
    }),
  );
  const unknown = [...excluded].filter((name) => !Object.hasOwn(checks, name));
  for (const checker of unknown) logger.debug('cannot exclude health check, no matches for it', { checker });
  const hasFailed = statuses.some(({ outcome }) => outcome === 'failed');
  if (hasFailed) logger.info('healthz check failed', { statuses });
  const isBrief = !hasFailed && !query.has('verbose');
  sendText(response, hasFailed ? 500 : 200, isBrief ? 'ok' : listOf(statuses, unknown, hasFailed));
}

async function passes(name: string, check: Check, logger: Logger): Promise<boolean> {
  try {
    await check();
    return true;
  } catch (error) {
    logger.debug('healthz check failed', { checker: name, error: reasonOf(error) });
    return false;
  }
}

const LINES = {
  ok: (name: string) => `[+]${name} ok\n`,
  failed: (name: string) => `[-]${name} failed: reason withheld\n`,
  excluded: (name: string) => `[+]${name} excluded: ok\n`,
} as const;

function listOf(statuses: readonly CheckStatus[], unknown: readonly string[], hasFailed: boolean): string {
  const quoted = unknown.map((name) => JSON.stringify(name)).join(',');
  return [
    ...statuses.map(({ name, outcome }) => LINES[outcome](name)),
    quoted === '' ? '' : `warn: some health checks cannot be excluded: no matches for ${quoted}\n`,
    hasFailed ? 'healthz check failed\n' : 'healthz check passed\n',
  ].join('');
}

function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
