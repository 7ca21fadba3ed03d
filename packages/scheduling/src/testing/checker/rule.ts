import type { World } from './world.ts';

/** One rule of the spec: a sentence for every place where a plan breaks it. */
export type Rule = (world: World) => readonly string[];
