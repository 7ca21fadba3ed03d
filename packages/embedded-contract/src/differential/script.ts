import type { JsonObject } from '@karpenter-ts/kubernetes';

/** One request; `NS` in path and body stands for the namespace of the script. Bodies that are text go out as they are. */
export type ScriptedRequest = readonly [
  method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE',
  path: string,
  body?: JsonObject | readonly JsonObject[] | string | undefined,
  contentType?: string,
];

/** A sequence of requests that every server must answer alike. It states no expectations: the real server has them. */
export interface Script {
  readonly name: string;
  readonly requests: readonly ScriptedRequest[];
}

/** Creates each of these objects, without keeping any. */
export function creating(path: string, objects: readonly JsonObject[]): readonly ScriptedRequest[] {
  return objects.map((object) => ['POST', `${path}?dryRun=All`, object]);
}

export const MERGE = 'application/merge-patch+json';
export const STRATEGIC = 'application/strategic-merge-patch+json';
export const JSON_PATCH = 'application/json-patch+json';
