import type { Eval, Frame } from './frame.ts';
import { withoutSchema } from './json.ts';
import { find, get } from './member.ts';
import { CelError, type CelResult, type CelValue, Optional } from './value.ts';

/** A step of a chain: `.name`, `[key]`, `.?name`, `[?key]`. */
export interface Step {
  readonly key: Eval;
  readonly optional: boolean;
}

/**
 * `base.a.?b[c]`. From the first optional step on, or all along where the base is an optional itself, what is absent
 * ends the chain with nothing instead of an error, and the outcome is an optional.
 */
export function readChain(base: Eval, steps: readonly Step[]): Eval {
  return (frame) => {
    const value = base(frame);
    return value instanceof CelError ? value : follow(frame, value, steps);
  };
}

/** `has(base.a.b)`: whether the last step leads anywhere. Those before it must, unless they are optional. */
export function testChain(base: Eval, steps: readonly Step[]): Eval {
  const owner = readChain(base, steps.slice(0, -1));
  const { key } = steps.at(-1)!;
  return (frame) => {
    const value = owner(frame);
    if (value instanceof CelError) return value;
    const opened = value instanceof Optional ? value.value : value;
    const found = opened === undefined ? undefined : findAt(frame, opened, key);
    return found instanceof CelError ? found : found !== undefined;
  };
}

function follow(frame: Frame, base: CelValue, steps: readonly Step[]): CelResult {
  let optional = base instanceof Optional;
  let value: CelResult | undefined = base instanceof Optional ? withoutSchema(base).value : base;
  if (value === undefined) return Optional.NONE;
  for (const step of steps) {
    optional ||= step.optional;
    value = optional ? findAt(frame, value, step.key) : getAt(frame, value, step.key);
    if (value === undefined) return Optional.NONE;
    if (value instanceof CelError) return value;
  }
  return optional ? new Optional(value) : value;
}

function findAt(frame: Frame, value: CelValue, key: Eval): CelResult | undefined {
  const at = key(frame);
  return at instanceof CelError ? at : find(value, at);
}

function getAt(frame: Frame, value: CelValue, key: Eval): CelResult {
  const at = key(frame);
  return at instanceof CelError ? at : get(value, at);
}
