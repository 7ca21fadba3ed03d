import type { Filter } from '@aws-sdk/client-ec2';
import { type AmiAlias, findAmiAlias, type RequirementSpec } from '@karpenter-ts/apis';
import { errorText, type Logger, StructuredError } from '@karpenter-ts/runtime';
import { isAwsNotFound } from '../api/aws-error.ts';
import type { AmiSelectorTerm } from '../node-class/node-class-parts.ts';
import { tagFilters } from '../node-class/tag-filters.ts';
import { type AliasParameter, aliasParameters, aliasText, UnsupportedAliasError } from './alias-parameters.ts';
import type { ParameterSource } from './ssm-parameters.ts';

/** One listing of images. */
export interface ImageQuery {
  /** Any owner if there are none. */
  readonly owners: readonly string[];
  readonly filters: readonly Filter[];
  /** What is known of images besides their architecture, by id: each set of requirements is an entry of its own. */
  readonly uses?: ReadonlyMap<string, readonly (readonly RequirementSpec[])[]> | undefined;
}

export interface ImageQueryDeps {
  readonly parameters: ParameterSource;
  readonly kubernetesVersion: string;
  readonly logger: Logger;
}

/** The listings that find the images of a NodeClass. An alias, where there is one, is the only source (spec 08 §6.1). */
export async function resolveImageQueries(
  terms: readonly AmiSelectorTerm[],
  deps: ImageQueryDeps,
  signal: AbortSignal,
): Promise<readonly ImageQuery[]> {
  const alias = findAmiAlias({ amiSelectorTerms: terms });
  if (alias !== undefined) return [await queryOfAlias(alias, deps, signal)];
  const unknown = terms.find((term) => term.alias)?.alias;
  if (unknown !== undefined) throw new UnsupportedAliasError(`the alias ${unknown} names no family that is known`);
  return queriesOfTerms(terms, deps, signal);
}

async function queryOfAlias(alias: AmiAlias, deps: ImageQueryDeps, signal: AbortSignal): Promise<ImageQuery> {
  const uses = new Map<string, readonly (readonly RequirementSpec[])[]>();
  const parameters = aliasParameters(alias, deps.kubernetesVersion);
  const ids = await Promise.all(parameters.map((parameter) => findPublishedImage(parameter, deps, signal)));
  for (const [index, id] of ids.entries()) {
    if (id !== undefined) uses.set(id, [...(uses.get(id) ?? []), ...parameters[index]!.uses]);
  }
  if (uses.size === 0) {
    throw new StructuredError('failed to discover any AMIs for alias', { alias: aliasText(alias) });
  }
  return { owners: [], filters: [idFilter([...uses.keys()])], uses };
}

/**
 * Undefined where AWS does not publish such an image. Any other failure fails the whole: upstream goes on without the
 * image, and then replaces the nodes that run it (spec 08, weakness 1).
 */
async function findPublishedImage(
  parameter: AliasParameter,
  { parameters }: ImageQueryDeps,
  signal: AbortSignal,
): Promise<string | undefined> {
  try {
    return (await parameters.get(parameter, signal)) || undefined;
  } catch (error) {
    if (isAwsNotFound(error)) return undefined;
    throw error;
  }
}

async function queriesOfTerms(
  terms: readonly AmiSelectorTerm[],
  deps: ImageQueryDeps,
  signal: AbortSignal,
): Promise<readonly ImageQuery[]> {
  const found: (string | ImageQuery | undefined)[] = await Promise.all(
    terms.map(async (term) => {
      if (term.id) return term.id;
      return term.ssmParameter ? imageInParameter(term.ssmParameter, deps, signal) : queryOfTerm(term);
    }),
  );
  const ids = found.filter((one) => typeof one === 'string');
  const queries = found.filter((one) => typeof one === 'object');
  return ids.length === 0 ? queries : [...queries, { owners: [], filters: [idFilter(ids)] }];
}

/** The image that a parameter of the user's names; undefined if it names none. */
async function imageInParameter(
  name: string,
  { parameters, logger }: ImageQueryDeps,
  signal: AbortSignal,
): Promise<string | undefined> {
  try {
    const id = await parameters.get({ name, from: 'term', mutable: false }, signal);
    if (id.startsWith('ami-')) return id;
    logger.debug('parameter value is an invalid AMI ID', { ssmParameter: name, id });
  } catch (cause) {
    if (!isAwsNotFound(cause)) throw new Error(`resolving ssm parameter, ${errorText(cause)}`, { cause });
    logger.debug('parameter not found', { ssmParameter: name, error: errorText(cause) });
  }
  return undefined;
}

/** Images of other accounts that have a name are public to all: only the user can say that they are trusted. */
const TRUSTED_OWNERS = ['self', 'amazon'];

function queryOfTerm({ name, owner, tags }: AmiSelectorTerm): ImageQuery {
  const named = name ? [{ Name: 'name', Values: [name] }] : [];
  const trusted = name ? TRUSTED_OWNERS : [];
  return { owners: owner ? [owner] : trusted, filters: [...named, ...tagFilters(tags)] };
}

function idFilter(ids: string[]): Filter {
  return { Name: 'image-id', Values: ids };
}
