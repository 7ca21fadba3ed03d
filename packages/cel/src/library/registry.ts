import { conversions } from './conversions.ts';
import { formats } from './formats.ts';
import { kubernetesLists, lists } from './lists.ts';
import { network } from './network.ts';
import { foldSteps, operators } from './operators.ts';
import { optionals } from './optionals.ts';
import type { Overload } from './overload.ts';
import { quantity } from './quantity.ts';
import { regex } from './regex.ts';
import { semver } from './semver.ts';
import { sets } from './sets.ts';
import { strings } from './strings.ts';
import { times } from './times.ts';
import { urls } from './urls.ts';

/**
 * The environment of CRD validation rules in Kubernetes 1.35, no more: neither `math.*` nor `cel.bind` is in it. Of the
 * authorizer's functions none is here, since no rule of a CRD can get hold of one. The order is that of the API
 * server, where it decides which signature an ambiguous call takes first.
 */
const LIBRARIES = [
  operators,
  conversions,
  times,
  urls,
  regex,
  kubernetesLists,
  optionals,
  quantity,
  strings,
  sets,
  network,
  formats,
  foldSteps,
  semver,
  lists,
];

const functions: ReadonlyMap<string, readonly Overload[]> = Map.groupBy(LIBRARIES.flat(), (overload) => overload.name);

/** Every overload of a function, in the order they are tried, or undefined where there is no such function. */
export function findFunction(name: string): readonly Overload[] | undefined {
  return functions.get(name);
}
