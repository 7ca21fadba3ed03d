import { ArrayList, type CelList } from '../runtime/list.ts';
import { CelError, type CelResult } from '../runtime/value.ts';
import { compileRe2, type Re2, Re2Error } from '../re2.ts';
import { member, type Overload } from './overload.ts';

/** Kubernetes' `find` and `findAll`; `matches` is CEL's own. */
export const regex: readonly Overload[] = [
  member('string', 'find(string): string', (text: string, pattern: string) =>
    withPattern(pattern, (compiled) => compiled.find(text) ?? ''),
  ),
  member('string', 'findAll(string): list(string)', (text: string, pattern: string) => findAll(text, pattern, -1n)),
  member('string', 'findAll(string, int): list(string)', findAll),
];

function findAll(text: string, pattern: string, limit: bigint): CelResult {
  return withPattern(pattern, (compiled): CelList => {
    const found = compiled.findAll(text, limit < 0n ? Infinity : Number(limit));
    return new ArrayList([...found]);
  });
}

function withPattern(pattern: string, use: (compiled: Re2) => CelResult): CelResult {
  try {
    return use(compileRe2(pattern));
  } catch (error) {
    if (error instanceof Re2Error) return new CelError(`Illegal regex: ${error.message}`);
    throw error;
  }
}
