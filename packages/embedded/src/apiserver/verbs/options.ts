import {
  type FieldSelector,
  FieldSelectorError,
  goQuote,
  type Json,
  type JsonObject,
  type LabelSelector,
  LabelSelectorError,
  parseFieldSelector,
  parseLabelSelector,
} from '@karpenter-ts/kubernetes';
import { forbiddenField, invalidValue, notSupported, type Problem, tooLong } from '../field-errors.ts';
import { isJsonObject } from '../json-value.ts';
import { DecodeError, decodeGo } from '../kinds/go-decode.ts';
import { goStruct } from '../kinds/go-types.ts';
import { scalarText } from '../object.ts';
import { type ApiError, badRequest, invalid } from '../status.ts';

/** How a write treats unknown fields. */
export type FieldValidation = 'Ignore' | 'Warn' | 'Strict';

/** What a request to create, replace or patch may ask for. */
export interface WriteOptions {
  readonly dryRun: boolean;
  readonly fieldValidation: FieldValidation;
}

/** What a request to delete may ask for. */
export interface DeleteOptions {
  readonly gracePeriodSeconds?: number | undefined;
  readonly propagationPolicy?: 'Orphan' | 'Background' | 'Foreground' | undefined;
  /** The old form of a propagation policy. */
  readonly orphanDependents?: boolean | undefined;
  readonly preconditions?: { readonly uid?: string; readonly resourceVersion?: string } | undefined;
  readonly dryRun: boolean;
}

/** What a request for many objects may ask for. */
export interface ListOptions {
  readonly labels: LabelSelector;
  readonly fields: FieldSelector;
  /** '' if the newest state is requested. */
  readonly resourceVersion: string;
  readonly match: 'Exact' | 'NotOlderThan' | '';
  /** 0 for no limit. */
  readonly limit: number;
  readonly continue: string;
  readonly watch: boolean;
  readonly bookmarks: boolean;
  readonly sendInitialEvents: boolean;
  readonly timeoutSeconds: number | undefined;
}

const invalidOptions = (kind: string, problems: readonly Problem[]): ApiError =>
  invalid({ group: 'meta.k8s.io', kind }, '', problems);

const PLAIN_WRITE: WriteOptions = { dryRun: false, fieldValidation: 'Warn' };

/** Reads the options of a write from its query. Throws an ApiError. */
export function parseWriteOptions(
  query: URLSearchParams,
  kind: 'CreateOptions' | 'UpdateOptions' | 'PatchOptions',
): WriteOptions {
  if (query.size === 0) return PLAIN_WRITE;
  const dryRun = query.getAll('dryRun').filter((value) => value !== '');
  const fieldValidation = query.get('fieldValidation') || 'Warn';
  const problems: Problem[] = [];
  if (kind === 'PatchOptions' && query.has('force')) {
    problems.push(forbiddenField(['force'], 'may not be specified for non-apply patch'));
  }
  problems.push(...fieldManagerProblems(query.get('fieldManager') ?? ''), ...dryRunProblems(dryRun));
  if (!['Ignore', 'Warn', 'Strict'].includes(fieldValidation)) {
    problems.push(notSupported(['fieldValidation'], fieldValidation, ['', 'Ignore', 'Strict', 'Warn']));
  }
  if (problems.length > 0) throw invalidOptions(kind, problems);
  return { dryRun: dryRun.length > 0, fieldValidation: fieldValidation as FieldValidation };
}

/** Reads the options of a deletion from its body, or from its query when it has none. Throws an ApiError. */
export function parseDeleteOptions(body: Json | undefined, query: URLSearchParams): DeleteOptions {
  const sent = body === undefined ? deleteOptionsOfQuery(query) : deleteOptionsOfBody(body);
  const {
    dryRun = [],
    propagationPolicy,
    orphanDependents,
  } = sent as {
    readonly dryRun?: readonly string[];
    readonly propagationPolicy?: string;
    readonly orphanDependents?: boolean;
  };
  const problems: Problem[] = [];
  if (propagationPolicy !== undefined && orphanDependents !== undefined) {
    const why = 'orphanDependents and deletionPropagation cannot be both set';
    problems.push(invalidValue(['propagationPolicy'], propagationPolicy, why));
  }
  const policies = ['Foreground', 'Background', 'Orphan'];
  if (propagationPolicy !== undefined && !policies.includes(propagationPolicy)) {
    problems.push(notSupported(['propagationPolicy'], propagationPolicy, [...policies, 'nil']));
  }
  problems.push(...dryRunProblems(dryRun));
  if (problems.length > 0) throw invalidOptions('DeleteOptions', problems);
  return { ...(sent as Omit<DeleteOptions, 'dryRun'>), dryRun: dryRun.length > 0 };
}

function deleteOptionsOfBody(body: Json): JsonObject {
  const wrong = isJsonObject(body) ? body : {};
  const { kind = 'DeleteOptions', apiVersion = 'v1' } = wrong;
  if (kind !== 'DeleteOptions') {
    const version = goQuote(scalarText(apiVersion));
    throw badRequest(
      `no kind ${goQuote(scalarText(kind))} is registered for version ${version} in scheme "pkg/runtime/scheme.go:111"`,
    );
  }
  try {
    return decodeGo(body as JsonObject, goStruct('meta.DeleteOptions')).object;
  } catch (error) {
    throw error instanceof DecodeError ? badRequest(error.message) : error;
  }
}

function deleteOptionsOfQuery(query: URLSearchParams): JsonObject {
  const entries: [string, Json][] = [];
  const grace = integerOf(query, 'gracePeriodSeconds');
  if (grace !== undefined) entries.push(['gracePeriodSeconds', grace]);
  const policy = query.get('propagationPolicy');
  if (policy) entries.push(['propagationPolicy', policy]);
  const orphan = flagOf(query, 'orphanDependents');
  if (orphan !== undefined) entries.push(['orphanDependents', orphan]);
  const dryRun = query.getAll('dryRun').filter((value) => value !== '');
  if (dryRun.length > 0) entries.push(['dryRun', dryRun]);
  return Object.fromEntries(entries);
}

/** Reads what a list or a watch asks for. Throws an ApiError. */
export function parseListOptions(query: URLSearchParams): ListOptions {
  const watch = flagOf(query, 'watch') ?? false;
  const match = query.get('resourceVersionMatch') ?? '';
  const sendInitialEvents = flagOf(query, 'sendInitialEvents');
  const asked = {
    labels: selectorOf(() => parseLabelSelector(query.get('labelSelector') ?? '')),
    fields: selectorOf(() => parseFieldSelector(query.get('fieldSelector') ?? '')),
    resourceVersion: query.get('resourceVersion') ?? '',
    limit: Math.max(0, integerOf(query, 'limit') ?? 0),
    continue: query.get('continue') ?? '',
    watch,
    bookmarks: flagOf(query, 'allowWatchBookmarks') ?? false,
    timeoutSeconds: integerOf(query, 'timeoutSeconds'),
  };
  // A watch without a version, or from version 0, starts with the current state, as it did before `sendInitialEvents`
  // existed.
  const isFromAnywhere = asked.resourceVersion === '' || asked.resourceVersion === '0';
  const isImplied = watch && isFromAnywhere && sendInitialEvents === undefined && match === '';
  const options = isImplied
    ? { ...asked, match: 'NotOlderThan', sendInitialEvents: true }
    : { ...asked, match, sendInitialEvents };
  const problems = watch ? watchProblems(options) : listProblems(options);
  if (problems.length > 0) throw invalidOptions('ListOptions', problems);
  return {
    ...options,
    match: options.match as ListOptions['match'],
    sendInitialEvents: options.sendInitialEvents === true,
  };
}

interface Checked {
  readonly match: string;
  readonly resourceVersion: string;
  readonly continue: string;
  readonly sendInitialEvents: boolean | undefined;
}

const MATCH = ['resourceVersionMatch'];
const NOT_WITH_CONTINUE = 'resourceVersionMatch is forbidden when continue is provided';

function listProblems({ match, resourceVersion, continue: token, sendInitialEvents }: Checked): readonly Problem[] {
  const problems: Problem[] = [];
  const forbid = (why: string) => problems.push(forbiddenField(MATCH, why));
  if (match !== '') {
    if (resourceVersion === '') forbid('resourceVersionMatch is forbidden unless resourceVersion is provided');
    if (token !== '') forbid(NOT_WITH_CONTINUE);
    if (match !== 'Exact' && match !== 'NotOlderThan')
      problems.push(notSupported(MATCH, match, ['Exact', 'NotOlderThan', '']));
    if (match === 'Exact' && resourceVersion === '0') {
      forbid('resourceVersionMatch "exact" is forbidden for resourceVersion "0"');
    }
  }
  if (sendInitialEvents !== undefined) {
    problems.push(forbiddenField(['sendInitialEvents'], 'sendInitialEvents is forbidden for list'));
  }
  return problems;
}

function watchProblems({ match, continue: token, sendInitialEvents }: Checked): readonly Problem[] {
  const problems: Problem[] = [];
  const forbid = (why: string) => problems.push(forbiddenField(MATCH, why));
  if (sendInitialEvents !== undefined && match !== 'NotOlderThan') {
    forbid('sendInitialEvents requires setting resourceVersionMatch to NotOlderThan');
  }
  if (match === '') return problems;
  if (sendInitialEvents === undefined) {
    forbid('resourceVersionMatch is forbidden for watch unless sendInitialEvents is provided');
  }
  if (match !== 'NotOlderThan') problems.push(notSupported(MATCH, match, ['NotOlderThan']));
  if (token !== '') forbid(NOT_WITH_CONTINUE);
  return problems;
}

const FIELD_MANAGER_BYTES = 128;

/** Field managers are not stored, but names that the real server refuses are refused. */
function fieldManagerProblems(name: string): readonly Problem[] {
  const path = ['fieldManager'];
  const isTooLong = Buffer.byteLength(name) > FIELD_MANAGER_BYTES;
  const problems = isTooLong ? [tooLong(path, `may not be more than ${FIELD_MANAGER_BYTES} bytes`)] : [];
  let position = 0; // in bytes, as Go counts
  for (const character of name) {
    if (!isPrintable(character)) {
      const why = `invalid character ${goUnicode(character)} (at position ${position})`;
      problems.push(invalidValue(path, name, why));
    }
    position += Buffer.byteLength(character);
  }
  return problems;
}

/** Letters, marks, numbers, punctuation, symbols and the plain space, as Go's unicode.IsPrint has it. */
const isPrintable = (character: string): boolean => /^[\p{L}\p{M}\p{N}\p{P}\p{S} ]$/u.test(character);

/** A character that cannot be printed, as Go's `%#U` shows it. */
const goUnicode = (character: string): string =>
  `U+${character.codePointAt(0)!.toString(16).toUpperCase().padStart(4, '0')}`;

function dryRunProblems(values: readonly string[]): Problem[] {
  return values.every((value) => value === 'All') ? [] : [notSupported(['dryRun'], values, ['All'])];
}

function selectorOf<T>(parse: () => T): T {
  try {
    return parse();
  } catch (error) {
    if (error instanceof LabelSelectorError || error instanceof FieldSelectorError) throw badRequest(error.message);
    throw error;
  }
}

/** As Kubernetes reads it: anything but `false` and `0` is true. */
function flagOf(query: URLSearchParams, name: string): boolean | undefined {
  const text = query.get(name);
  return text === null ? undefined : !/^(?:false|0)$/i.test(text);
}

function integerOf(query: URLSearchParams, name: string): number | undefined {
  const text = query.get(name);
  if (text === null || text === '') return undefined;
  if (!/^[+-]?\d+$/.test(text)) throw badRequest(`strconv.ParseInt: parsing ${goQuote(text)}: invalid syntax`);
  return Number(text);
}
