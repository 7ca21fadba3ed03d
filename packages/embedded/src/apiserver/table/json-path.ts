import { type Json, memberOf } from '@karpenter-ts/kubernetes';
import { isJsonArray, isJsonObject } from '../json-value.ts';

/** Finds what a path points at in a value: nothing, one thing, or several. */
export type JsonPath = (value: Json) => readonly Json[];

type Step = (value: Json) => readonly Json[];

/**
 * The JSONPath of a printer column, in the form kubectl takes it: `.spec.replicas`, `.metadata.labels.example\.com/a`,
 * `['name']`, `[0]`, `[-1]`, `[*]`, `.*`, `[?(@.type=="Ready")]`. Undefined when it is none of these.
 */
export function parseJsonPath(path: string): JsonPath | undefined {
  const steps: Step[] = [];
  for (let rest = path; rest !== ''; ) {
    const form = FORMS.find(({ pattern }) => pattern.test(rest));
    const match = form?.pattern.exec(rest);
    if (form === undefined || !match) return undefined;
    const step = form.step(match[1]!, match[2]);
    if (step === undefined) return undefined;
    steps.push(step);
    rest = rest.slice(match[0].length);
  }
  return (value) => steps.reduce<readonly Json[]>((values, step) => values.flatMap(step), [value]);
}

interface Form {
  readonly pattern: RegExp;
  readonly step: (first: string, second: string | undefined) => Step | undefined;
}

const FORMS: readonly Form[] = [
  { pattern: /^(?:\.\*|\[\*\])()/, step: () => children },
  { pattern: /^\.((?:[^.[\]\\]|\\.)+)/, step: (name) => member(name.replace(/\\(.)/g, '$1')) },
  { pattern: /^\[(?:'([^']*)'|"([^"]*)")\]/, step: (single, double) => member(double ?? single) },
  { pattern: /^\[(-?\d+)\]/, step: (index) => element(Number(index)) },
  { pattern: /^\[\?\(@([^=!)]*)\s*((?:==|!=)[^)]*)?\)\]/, step: filter },
];

const children: Step = (value) => {
  if (isJsonArray(value)) return value;
  return isJsonObject(value) ? Object.values(value).filter((child) => child !== undefined) : [];
};

const member =
  (name: string): Step =>
  (value) => {
    const found = isJsonObject(value) ? memberOf(value, name) : undefined;
    return found === undefined ? [] : [found];
  };

const element =
  (index: number): Step =>
  (value) => {
    const found = isJsonArray(value) ? value.at(index) : undefined;
    return found === undefined ? [] : [found];
  };

/** Elements of which a path has the value, has not, or, without a comparison, is there. */
function filter(path: string, comparison: string | undefined): Step | undefined {
  const find = parseJsonPath(path.trim());
  const wanted = comparison === undefined ? undefined : parseLiteral(comparison.slice(2).trim());
  if (find === undefined || (comparison !== undefined && wanted === undefined)) return undefined;
  const isWanted = (found: Json | undefined): boolean => {
    if (found === undefined || wanted === undefined) return found !== undefined;
    return (found === wanted) === comparison!.startsWith('==');
  };
  return (value) => (isJsonArray(value) ? value.filter((item) => isWanted(find(item)[0])) : []);
}

function parseLiteral(text: string): Json | undefined {
  const quoted = /^(?:"([^"]*)"|'([^']*)')$/.exec(text);
  if (quoted) return quoted[1] ?? quoted[2];
  if (text === 'true' || text === 'false') return text === 'true';
  return /^-?\d+(\.\d+)?$/.test(text) ? Number(text) : undefined;
}
