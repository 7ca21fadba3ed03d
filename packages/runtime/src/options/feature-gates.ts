import { goQuote } from '@karpenter-ts/kubernetes';
import { findBool } from './go-literals.ts';
import { type OptionType, type ParseResult, same } from './option-type.ts';

/** Feature gates by name, and whether each is on. */
export type Gates<G extends string> = Readonly<Record<G, boolean>>;

/**
 * Parses `Name=bool,…`. A gate that is not named keeps its default, and the last of several settings counts. Unknown
 * names are ignored, as upstream does, but with a warning, because most are typing errors.
 */
export function featureGates<G extends string>(defaults: Gates<G>): OptionType<Gates<G>> {
  return {
    placeholder: 'string',
    ...same((written) => readGates(defaults, written)),
    show: (gates) =>
      goQuote(
        Object.entries<boolean>(gates)
          .map(([name, isOn]) => `${name}=${isOn}`)
          .join(','),
      ),
  };
}

function readGates<G extends string>(defaults: Gates<G>, written: string): ParseResult<Gates<G>> {
  const gates: Record<string, boolean> = { ...defaults };
  const unknown = new Set<string>();
  for (const pair of written.split(',').filter((segment) => segment !== '')) {
    const equals = pair.indexOf('=');
    if (equals < 0) return refused('malformed pair, expect string=bool');
    const name = pair.slice(0, equals).trim();
    const word = pair.slice(equals + 1).trim();
    const isOn = findBool(word);
    if (isOn === undefined) {
      return refused(
        `invalid value of ${name}: ${word}, err: strconv.ParseBool: parsing ${goQuote(word)}: invalid syntax`,
      );
    }
    if (Object.hasOwn(defaults, name)) gates[name] = isOn;
    else unknown.add(name);
  }
  const warnings = unknown.size === 0 ? [] : [`ignoring unknown feature gates: ${[...unknown].join(', ')}`];
  return { kind: 'value', value: gates as Gates<G>, warnings };
}

function refused(problem: string): ParseResult<never> {
  return { kind: 'refused', problem: `parsing feature gates, ${problem}` };
}
