import {
  dns1123LabelProblems,
  dns1123SubdomainProblems,
  type Json,
  labelValueProblems,
  qualifiedNameProblems,
} from '@karpenter-ts/kubernetes';
import { forbiddenField, InnerForm, invalidValue, type Problem, required, tooLong } from '../field-errors.ts';
import type { Metadata, Owner } from '../object.ts';

/** What is wrong with a name, or with a prefix of one. */
export type NameProblems = (name: string, isPrefix: boolean) => readonly string[];

/** Rules for names that more is appended to look past a dash at their end. */
const whole = (name: string, isPrefix: boolean): string => (isPrefix ? name.replace(/[\0-\x7f]-$/, 'a') : name);

/** Most names are DNS names. */
export const dnsNameProblems: NameProblems = (name, isPrefix) => dns1123SubdomainProblems(whole(name, isPrefix));

/** Those of namespaces are one part of a DNS name. */
export const dnsLabelProblems: NameProblems = (name, isPrefix) => dns1123LabelProblems(whole(name, isPrefix));

/** Those of services are older. */
export const serviceNameProblems: NameProblems = (name, isPrefix) => {
  const text = whole(name, isPrefix);
  const problems = text.length > 63 ? ['must be no more than 63 characters'] : [];
  if (/^[a-z](?:[-a-z0-9]*[a-z0-9])?$/.test(text)) return problems;
  return [
    ...problems,
    "a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an alphabetic character, and end with an alphanumeric character (e.g. 'my-name',  or 'abc-123', regex used for validation is '[a-z]([-a-z0-9]*[a-z0-9])?')",
  ];
};

/** Those of roles are anything that can stand in a path. */
export const pathSegmentProblems: NameProblems = (name, isPrefix) => {
  if (!isPrefix && (name === '.' || name === '..')) return [`may not be '${name}'`];
  return ['/', '%'].filter((char) => name.includes(char)).map((char) => `may not contain '${char}'`);
};

/** What a kind asks of metadata. */
export interface MetadataRules {
  readonly namespaced: boolean;
  readonly nameProblems: NameProblems;
  /** Finalizers need no domain in front. */
  readonly plainFinalizers: boolean;
}

/** What is wrong with the metadata of an object. */
export function metadataProblems(metadata: Metadata, kind: MetadataRules): readonly Problem[] {
  const { labels = {}, annotations = {}, ownerReferences = [], finalizers = [] } = metadata;
  return [
    ...identityProblems(metadata, kind),
    ...Object.entries(labels).flatMap(([key, value]) => [
      ...at('labels', key, qualifiedNameProblems(key)),
      ...at('labels', value, labelValueProblems(value)),
    ]),
    ...annotationProblems(annotations),
    ...ownerProblems(ownerReferences),
    ...finalizerProblems(finalizers, kind),
  ];
}

function identityProblems(
  { name, generateName, namespace, generation }: Metadata,
  { namespaced, nameProblems }: MetadataRules,
): readonly Problem[] {
  const problems: Problem[] = [];
  if (generateName) problems.push(...at('generateName', generateName, nameProblems(generateName, true)));
  if (name) problems.push(...at('name', name, nameProblems(name, false)));
  else problems.push(required(['metadata', 'name'], 'name or generateName is required'));
  if (namespaced && namespace) problems.push(...at('namespace', namespace, dns1123LabelProblems(namespace)));
  if (!namespaced && namespace) problems.push(forbiddenField(['metadata', 'namespace'], 'not allowed on this type'));
  if (generation !== undefined && generation < 0) {
    problems.push(invalidValue(['metadata', 'generation'], generation, 'must be greater than or equal to 0'));
  }
  return problems;
}

const ANNOTATIONS_LIMIT_BYTES = 256 * 1024;

function annotationProblems(annotations: Readonly<Record<string, string>>): readonly Problem[] {
  const entries = Object.entries(annotations);
  const problems = entries.flatMap(([key]) => at('annotations', key, qualifiedNameProblems(key.toLowerCase())));
  const bytes = entries.reduce((sum, [key, value]) => sum + Buffer.byteLength(key) + Buffer.byteLength(value), 0);
  if (bytes <= ANNOTATIONS_LIMIT_BYTES) return problems;
  return [...problems, tooLong(['metadata', 'annotations'], `may not be more than ${ANNOTATIONS_LIMIT_BYTES} bytes`)];
}

function ownerProblems(owners: readonly Owner[]): readonly Problem[] {
  const path = (field: string) => ['metadata', 'ownerReferences', field];
  const problems = owners.flatMap((owner) => {
    const empty: Problem[] = [];
    if (!owner.apiVersion) empty.push(invalidValue(path('apiVersion'), '', 'version must not be empty'));
    for (const field of ['kind', 'name', 'uid'] as const) {
      if (!owner[field]) empty.push(invalidValue(path(field), '', 'must not be empty'));
    }
    return empty;
  });
  const [first, second] = owners.filter(({ controller }) => controller);
  if (!first || !second) return problems;
  const found = `Found "true" in references for ${first.kind}/${first.name} and ${second.kind}/${second.name}`;
  const why = `Only one reference can have Controller set to true. ${found}`;
  return [...problems, invalidValue(['metadata', 'ownerReferences'], new InnerForm(owners.map(inOrder)), why)];
}

function inOrder({ apiVersion, kind, name, uid, controller, blockOwnerDeletion }: Owner): Json {
  return {
    apiVersion,
    kind,
    name,
    uid,
    ...(controller !== undefined && { controller }),
    ...(blockOwnerDeletion !== undefined && { blockOwnerDeletion }),
  };
}

/** Names that need no domain in front. */
const STANDARD_FINALIZERS: ReadonlySet<string> = new Set(['kubernetes', 'orphan', 'foregroundDeletion']);

/** What is wrong with the name of a finalizer where it needs a domain in front. */
export function finalizerNameProblems(name: string): readonly string[] {
  if (name.includes('/') || STANDARD_FINALIZERS.has(name)) return [];
  return ['name is neither a standard finalizer name nor is it fully qualified'];
}

function finalizerProblems(finalizers: readonly string[], { plainFinalizers }: MetadataRules): readonly Problem[] {
  const problems = finalizers.flatMap((name, index) => {
    const wrong = qualifiedNameProblems(name);
    if (wrong.length > 0) return wrong.map((problem) => invalidValue(['metadata', 'finalizers'], name, problem));
    const undue = plainFinalizers ? [] : finalizerNameProblems(name);
    return undue.map((problem) => invalidValue(['metadata', 'finalizers', index], name, problem));
  });
  if (!finalizers.includes('orphan') || !finalizers.includes('foregroundDeletion')) return problems;
  const why = 'finalizer orphan and foregroundDeletion cannot be both set';
  return [...problems, invalidValue(['metadata', 'finalizers'], finalizers, why)];
}

function at(field: string, value: string, problems: readonly string[]): readonly Problem[] {
  return problems.map((problem) => invalidValue(['metadata', field], value, problem));
}
