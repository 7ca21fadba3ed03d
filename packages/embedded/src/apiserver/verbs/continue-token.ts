import { goQuote } from '@karpenter-ts/kubernetes';
import { parseJson } from '../json-syntax.ts';
import { isJsonObject } from '../json-value.ts';
import { scalarText } from '../object.ts';
import { type ApiError, badRequest } from '../status.ts';

/** Where a list stopped. */
export interface ListPosition {
  /** The version of the list; negative if the list continues with the current state. */
  readonly revision: number;
  /** The next key is at or after it. */
  readonly from: string;
}

/** The message when the version of a token has expired. */
export const OLD_TOKEN =
  'The provided continue parameter is too old to display a consistent list result. You can start a new list without ' +
  'the continue parameter, or use the continue token in this response to retrieve the remainder of the results. ' +
  'Continuing with the provided token results in an inconsistent list - objects that were created, modified, or ' +
  'deleted between the time the first chunk was returned and now may show up in the list.';

const VERSION = 'meta.k8s.io/v1';

/** Encodes a token. Keys are stored without the prefix, so that no token leads to another resource. */
export function encodeToken({ revision, from }: ListPosition, prefix: string): string {
  const token = { v: VERSION, rv: revision, start: `/${from.slice(prefix.length)}` };
  return Buffer.from(JSON.stringify(token)).toString('base64url');
}

/** Reads a token again. Throws an ApiError. */
export function decodeToken(text: string, prefix: string): ListPosition {
  const invalidKey = (problem: string): ApiError =>
    badRequest(`invalid continue token: continue key is not valid: ${problem}`);
  const wrong = text.search(/[^A-Za-z0-9_-]/);
  if (wrong >= 0) throw invalidKey(`illegal base64 data at input byte ${wrong}`);
  const token = parseJson(Buffer.from(text, 'base64url').toString(), invalidKey);
  const { v, rv, start } = isJsonObject(token) ? token : {};
  if (v !== VERSION) throw invalidKey(`server does not recognize this encoded version ${scalarText(v)}`);
  if (typeof rv !== 'number' || rv === 0) {
    throw invalidKey('incorrect encoded start resourceVersion (version meta.k8s.io/v1)');
  }
  if (typeof start !== 'string' || start === '') throw invalidKey('encoded start key empty (version meta.k8s.io/v1)');
  if (/(?:^|\/)\.{0,2}\//.test(start.slice(1))) throw invalidKey(goQuote(start));
  return { revision: rv, from: prefix + start.replace(/^\//, '') };
}
