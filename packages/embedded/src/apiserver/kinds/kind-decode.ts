import { goQuote, type Json, type JsonObject } from '@karpenter-ts/kubernetes';
import { type KubeObject, scalarText } from '../object.ts';
import { apiVersionOf } from '../resources.ts';
import { type ApiError, badRequest } from '../status.ts';
import type { DecodedBody } from '../strategy.ts';
import { BUILTIN_RESOURCES, goTypeOf } from './builtin.ts';
import { DecodeError, decodeGo } from './go-decode.ts';
import type { GoStruct } from './go-types.ts';

/** A kind of a group in a version. */
export interface KindName {
  readonly group: string;
  readonly version: string;
  readonly kind: string;
}

/**
 * Reads a body as a built-in kind; one that does not say what it is, is taken for that. Its parts that are those of
 * `stored` have been read before. Throws an ApiError.
 */
export function decodeKind(body: JsonObject, name: KindName, type: GoStruct, stored?: KubeObject): DecodedBody {
  const { kind: ownKind, version } = name;
  const ownVersion = apiVersionOf(name);
  const { kind = ownKind, apiVersion: sent } = body;
  const apiVersion = sent === '/' ? '' : (sent ?? ownVersion); // Go reads a lone slash as nothing
  if ((kind && kind !== ownKind) || (apiVersion && apiVersion !== ownVersion)) {
    throw wrongKind(scalarText(kind), scalarText(apiVersion), name);
  }
  try {
    const { object, unknown } = decodeGo(body, type, stored);
    const { kind: _, apiVersion: __, metadata, ...rest } = object;
    const decoded = { kind: ownKind, apiVersion: ownVersion, metadata: ownMetadata(metadata), ...rest };
    return { object: decoded as KubeObject, complaints: unknown.map((path) => `unknown field ${goQuote(path)}`) };
  } catch (error) {
    if (!(error instanceof DecodeError)) throw error;
    throw badRequest(`${ownKind} in version ${goQuote(version)} cannot be handled as a ${ownKind}: ${error.message}`);
  }
}

/** Field managers are not kept, and links to itself no server keeps any more. */
function ownMetadata(metadata: Json | undefined): JsonObject {
  const sent = metadata as JsonObject;
  if (sent['managedFields'] === undefined && sent['selfLink'] === undefined) return sent;
  const { managedFields: _, selfLink: __, ...own } = sent;
  return own;
}

function wrongKind(kind: string, apiVersion: string, wanted: KindName): ApiError {
  const isKnown = BUILTIN_RESOURCES.some((other) => other.kind === kind && apiVersionOf(other) === apiVersion);
  const version = apiVersion.slice(apiVersion.indexOf('/') + 1);
  const why = isKnown
    ? `converting (${version}.${kind}) to (${goTypeOf(wanted)}): unknown conversion`
    : `no kind ${goQuote(kind)} is registered for version ${goQuote(apiVersion)} in scheme "pkg/runtime/scheme.go:111"`;
  return badRequest(`${kind} in version ${goQuote(version)} cannot be handled as a ${wanted.kind}: ${why}`);
}
