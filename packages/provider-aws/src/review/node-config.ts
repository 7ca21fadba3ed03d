import { findNearMiss } from '@karpenter-ts/apis';
import { isJsonObject, type Json, type JsonObject } from '@karpenter-ts/kubernetes';
import { LineCounter, parseAllDocuments } from 'yaml';
import { KUBELET_FIELDS } from './kubelet-fields.ts';
import { reviewPlaceholders } from './placeholders.ts';
import { doubtful, type TextRemark, wrong } from './remark.ts';

/** What a field of a NodeConfig is. */
type Shape =
  | { readonly is: 'string' | 'boolean' | 'anything' }
  | { readonly is: 'string'; readonly of: readonly string[] }
  | { readonly is: 'list'; readonly items: Shape }
  | { readonly is: 'map'; readonly values: Shape; readonly keys?: ReadonlySet<string> }
  | { readonly is: 'object'; readonly fields: Readonly<Record<string, Shape>> };

const STRING: Shape = { is: 'string' };
const ANYTHING: Shape = { is: 'anything' };
const oneOf = (...of: readonly string[]): Shape => ({ is: 'string', of });
const list = (items: Shape): Shape => ({ is: 'list', items });
const object = (fields: Readonly<Record<string, Shape>>): Shape => ({ is: 'object', fields });
const map = (values: Shape, keys?: ReadonlySet<string>): Shape => ({ is: 'map', values, ...(keys && { keys }) });

/** The API of nodeadm, v1alpha1. */
const NODE_CONFIG = object({
  apiVersion: oneOf('node.eks.aws/v1alpha1'),
  kind: oneOf('NodeConfig'),
  metadata: ANYTHING,
  spec: object({
    cluster: object({
      name: STRING,
      apiServerEndpoint: STRING,
      certificateAuthority: STRING,
      cidr: STRING,
      enableOutpost: { is: 'boolean' },
      id: STRING,
    }),
    containerd: object({ config: STRING, baseRuntimeSpec: map(ANYTHING) }),
    instance: object({
      localStorage: object({
        strategy: oneOf('RAID0', 'RAID10', 'Mount'),
        mountPath: STRING,
        disabledMounts: list(oneOf('Containerd', 'PodLogs')),
      }),
      environment: map(map(STRING)),
    }),
    kubelet: object({ config: map(ANYTHING, KUBELET_FIELDS), flags: list(STRING), maxPodsExpression: STRING }),
    featureGates: map({ is: 'boolean' }),
  }),
});

/** Karpenter's own NodeConfig comes last and has these, so that nobody sees what a user's says. */
const OVERWRITTEN: readonly (readonly [path: string, instead: string])[] = [
  ['spec.cluster.name', 'the flag --cluster-name of the controller'],
  ['spec.cluster.apiServerEndpoint', 'the flag --cluster-endpoint of the controller'],
  ['spec.cluster.certificateAuthority', 'the flag --cluster-ca-bundle of the controller'],
  ['spec.cluster.cidr', 'nothing: Karpenter asks EKS'],
  ['spec.kubelet.config.maxPods', 'spec.kubelet.maxPods of the EC2NodeClass'],
  ['spec.kubelet.config.registerWithTaints', 'the taints of the NodePool'],
];

/** A NodeConfig as nodeadm reads it: YAML, of which the first document counts. */
export function reviewNodeConfig(text: string): readonly TextRemark[] {
  const lines = new LineCounter();
  const documents = parseAllDocuments(text, { lineCounter: lines, prettyErrors: false, logLevel: 'silent' });
  if ('empty' in documents) return [];
  const [document, second] = documents;
  if (document === undefined) return [];
  const lineOf = (offset: number | undefined): number => Math.max(lines.linePos(offset ?? 0).line, 1);
  const [error] = document.errors;
  if (error !== undefined) return [wrong(`not YAML: ${error.message}`, { textLine: lineOf(error.pos[0]) })];
  const value = document.toJS() as Json;
  if (value === null) return [];
  const locate = (path: readonly string[]): number => {
    for (let length = path.length; length > 0; length--) {
      const node = document.getIn(path.slice(0, length), true) as { readonly range?: readonly number[] } | undefined;
      if (node?.range) return lineOf(node.range[0]);
    }
    return 1;
  };
  const found = reviewShape(value, NODE_CONFIG, []).map(({ path, ...remark }) => ({
    ...remark,
    textLine: locate(path),
  }));
  const missing = isJsonObject(value) ? reviewType(value) : [];
  const further = second === undefined ? [] : [doubtful('only the first document of a NodeConfig is read')];
  return [...missing, ...found, ...reviewOverwritten(value, locate), ...further, ...reviewPlaceholders(text)];
}

function reviewType(value: JsonObject): readonly TextRemark[] {
  const hint = 'apiVersion: node.eks.aws/v1alpha1, kind: NodeConfig';
  const missing = ['apiVersion', 'kind'].filter((field) => value[field] === undefined);
  return missing.map((field) => wrong(`NodeConfig: ${field} not set`, { hint, textLine: 1 }));
}

function reviewOverwritten(value: Json, locate: (path: readonly string[]) => number): readonly TextRemark[] {
  return OVERWRITTEN.flatMap(([field, instead]) => {
    const path = field.split('.');
    const set = path.reduce<Json | undefined>((at, key) => (isJsonObject(at) ? at[key] : undefined), value);
    if (set === undefined) return [];
    return [doubtful(`NodeConfig: Karpenter overwrites ${field}`, { hint: `use ${instead}`, textLine: locate(path) })];
  });
}

type ShapeRemark = Omit<TextRemark, 'textLine'> & { readonly path: readonly string[] };

function reviewShape(value: Json | undefined, shape: Shape, path: readonly string[]): readonly ShapeRemark[] {
  if (value === null || value === undefined) return []; // as if it were not there
  switch (shape.is) {
    case 'anything':
      return [];
    case 'list':
      if (!Array.isArray(value)) return [wrongType(value, 'a list', path)];
      return value.flatMap((item: Json, index) => reviewShape(item, shape.items, [...path, String(index)]));
    case 'map':
      if (!isJsonObject(value)) return [wrongType(value, 'a map', path)];
      return Object.entries(value).flatMap(([key, member]) => [
        ...(shape.keys === undefined || shape.keys.has(key) ? [] : [unknownField([...path, key], [...shape.keys])]),
        ...reviewShape(member, shape.values, [...path, key]),
      ]);
    case 'object':
      if (!isJsonObject(value)) return [wrongType(value, 'a map', path)];
      return Object.entries(value).flatMap(([key, member]) => {
        const field = Object.hasOwn(shape.fields, key) ? shape.fields[key] : undefined;
        if (field === undefined) return [unknownField([...path, key], Object.keys(shape.fields))];
        return reviewShape(member, field, [...path, key]);
      });
    default:
      return reviewScalar(value, shape, path);
  }
}

function reviewScalar(
  value: Json,
  shape: Extract<Shape, { readonly is: 'string' | 'boolean' | 'anything' }>,
  path: readonly string[],
): readonly ShapeRemark[] {
  if (typeof value !== shape.is) return [wrongType(value, `a ${shape.is}`, path)];
  if (!('of' in shape) || shape.of.includes(value as string)) return [];
  const known = shape.of.join(', ');
  const message = `NodeConfig: ${path.join('.')} is ${JSON.stringify(value)}, not ${shape.of.length > 1 ? 'one of ' : ''}${known}`;
  return [{ ...wrong(message), path }];
}

function wrongType(value: Json, wanted: string, path: readonly string[]): ShapeRemark {
  const given = Array.isArray(value) ? 'a list' : typeof value === 'object' ? 'a map' : `a ${typeof value}`;
  return { ...wrong(`NodeConfig: ${path.join('.') || 'the document'} must be ${wanted}, but is ${given}`), path };
}

/** A warning, because a later release of nodeadm may know it. */
function unknownField(path: readonly string[], known: readonly string[]): ShapeRemark {
  const meant = findNearMiss(path.at(-1)!, known);
  const hint = meant === undefined ? {} : { hint: `did you mean ${meant}?` };
  return { ...doubtful(`NodeConfig: unknown field ${JSON.stringify(path.join('.'))}`, hint), path };
}
