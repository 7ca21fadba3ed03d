import { type ParseArgsConfig, parseArgs } from 'node:util';

/** A tool was called wrongly: the message says what is wrong. */
export class UsageError extends Error {}

/** The command line as `config` has it. Throws a UsageError if it is not. */
export function parseCommandLine<T extends ParseArgsConfig>(config: T): ReturnType<typeof parseArgs<T>> {
  try {
    return parseArgs(config);
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    throw code?.startsWith('ERR_PARSE_ARGS') ? new UsageError(message) : error;
  }
}

/** The whole number an option was given. Throws a UsageError if it is none. */
export function parseCount(option: string, text: string): number {
  if (/^\d{1,15}$/.test(text)) return Number(text);
  throw new UsageError(`${option} takes a whole number, not '${text}'`);
}

/** What a tool says that was called wrongly; its exit code is 2 then. */
export function usageOf(tool: string, { message }: UsageError, usage: string): string {
  return `${tool}: ${message}\n\n${usage}`;
}

/** Reads what the tool was told. If that is wrong, says so, shows the usage and ends the process. */
export function readOrExit<T>(tool: string, usage: string, read: () => T): T {
  try {
    return read();
  } catch (error) {
    if (!(error instanceof UsageError)) throw error;
    process.stderr.write(usageOf(tool, error, usage));
    return process.exit(2);
  }
}
