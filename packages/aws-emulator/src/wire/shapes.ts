import { readFileSync } from 'node:fs';

/** A scalar by its name, a list by its item and the name of an item's element, or the name of a structure. */
export type Type = string | readonly [item: Type, itemName: string];

/** How a member is called in a query, in XML, and what it holds. */
export type Member = readonly [queryName: string, xmlName: string, type: Type];

export interface Shape {
  /** The first so many members must be given. */
  readonly required?: number;
  readonly members: Readonly<Record<string, Member>>;
}

/** The part of AWS' model of a service that its query protocol needs. Written by tools/aws-shapes.ts. */
export interface ServiceShapes {
  /** The shapes of input and output; null for none. */
  readonly operations: Readonly<Record<string, readonly [input: string | null, output: string | null]>>;
  readonly shapes: Readonly<Record<string, Shape>>;
}

export function readShapes(service: 'ec2' | 'iam' | 'sts'): ServiceShapes {
  return JSON.parse(readFileSync(new URL(`../../shapes/${service}.json`, import.meta.url), 'utf8')) as ServiceShapes;
}
