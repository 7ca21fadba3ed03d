import type { Image } from '@aws-sdk/client-ec2';
import type { EC2NodeClass } from '@karpenter-ts/apis';
import { ChangeMonitor, errorText, type Logger, type SteadyClock } from '@karpenter-ts/runtime';
import type { Ec2Api } from '../api/aws-apis.ts';
import { pages } from '../api/pages.ts';
import { AnswerCache } from '../api/answer-cache.ts';
import { generationKey, type StatusAmi } from '../node-class/node-class-parts.ts';
import { type ImageQuery, resolveImageQueries } from './image-queries.ts';
import { selectImages } from './select-images.ts';
import type { ParameterSource } from './ssm-parameters.ts';

export interface AmisDeps {
  readonly ec2: Pick<Ec2Api, 'describeImages'>;
  readonly parameters: ParameterSource;
  readonly kubernetes: { readonly version: string };
  readonly clock: SteadyClock;
  readonly logger: Logger;
  /** Milliseconds for which EC2 is not asked again. */
  readonly refreshInterval: number;
  readonly stopping: AbortSignal;
}

/** The images that NodeClasses select (spec 08 §6). */
export class Amis {
  readonly #deps: AmisDeps;
  readonly #answers: AnswerCache<readonly StatusAmi[]>;
  readonly #changes: ChangeMonitor;

  constructor(deps: AmisDeps) {
    this.#deps = deps;
    this.#answers = new AnswerCache({ ...deps, lifetime: deps.refreshInterval });
    this.#changes = new ChangeMonitor(deps.clock);
  }

  /**
   * What the status lists, in its order. Rejects with an UnsupportedAliasError among the causes if the alias cannot be
   * had in this cluster, whatever was found before.
   */
  async list(nodeClass: EC2NodeClass, signal: AbortSignal): Promise<readonly StatusAmi[]> {
    const queries = await this.#queries(nodeClass, signal);
    return this.#answers.get(generationKey(nodeClass), (call) => this.#describe(nodeClass, queries, call), signal);
  }

  async #queries({ spec }: EC2NodeClass, signal: AbortSignal): Promise<readonly ImageQuery[]> {
    const { parameters, kubernetes, logger } = this.#deps;
    const deps = { parameters, logger, kubernetesVersion: kubernetes.version };
    try {
      return await resolveImageQueries(spec?.amiSelectorTerms ?? [], deps, signal);
    } catch (cause) {
      throw new Error(`getting AMI queries, ${errorText(cause)}`, { cause });
    }
  }

  async #describe(
    { metadata }: EC2NodeClass,
    queries: readonly ImageQuery[],
    signal: AbortSignal,
  ): Promise<readonly StatusAmi[]> {
    const { ec2, clock, logger } = this.#deps;
    const found = [];
    for (const query of queries) found.push({ query, images: await describeImages(ec2, query, signal) });
    const amis = selectImages(found, clock.now());
    const ids = [...new Set(amis.map(({ id }) => id))];
    if (ids.length > 0 && this.#changes.hasChanged(`amis/${metadata.name}`, ids)) {
      logger.debug('discovered amis', { ids });
    }
    return amis;
  }
}

const PAGE_SIZE = 1000;

/** All images that a query finds and that can be launched, also deprecated ones. */
export async function describeImages(
  ec2: Pick<Ec2Api, 'describeImages'>,
  { owners, filters }: ImageQuery,
  signal: AbortSignal,
): Promise<readonly Image[]> {
  const input = {
    Filters: [...filters, { Name: 'state', Values: ['available'] }],
    ...(owners.length > 0 && { Owners: [...owners] }),
    IncludeDeprecated: true,
    MaxResults: PAGE_SIZE,
  };
  const images: Image[] = [];
  try {
    for await (const { Images: page = [] } of pages(ec2.describeImages, input, signal)) images.push(...page);
  } catch (cause) {
    throw new Error(`describing images, ${errorText(cause)}`, { cause });
  }
  return images;
}
