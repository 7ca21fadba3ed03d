import type { LaunchTemplate } from '@aws-sdk/client-ec2';
import { CLUSTER_NAME_TAG, EC2NODECLASS_TAG } from '@karpenter-ts/apis';
import {
  ChangeMonitor,
  combineErrors,
  defineGauge,
  HOUR,
  type Logger,
  type Metrics,
  MINUTE,
  nameList,
  runParallel,
  type SteadyClock,
  StructuredError,
  TokenBucket,
  unlessAborted,
} from '@karpenter-ts/runtime';
import type { Ec2Api } from '../api/aws-apis.ts';
import { findAwsError, isAwsNotFound } from '../api/aws-error.ts';
import { pages } from '../api/pages.ts';
import { renderUserData } from '../user-data/user-data.ts';
import { templateBody } from './template-body.ts';
import { TEMPLATE_PREFIX, type TemplateSpec } from './template-spec.ts';
import { wrapError } from './wrap-error.ts';

/** How long a template is kept after it was last used. */
const LIFETIME = 1 * MINUTE;

/** How often templates are looked for that this process does not know of, such as those whose creation was not answered. */
const SEARCH_INTERVAL = 1 * HOUR;

/** EC2 throttles an account that looks for, makes or deletes templates faster, so launches wait their turn instead. */
const READING_PACE = { burst: 100, qps: 20 };
const WRITING_PACE = { burst: 50, qps: 5 };

/** The most templates that EC2 lists on a page. */
const PAGE_SIZE = 200;

/** How many templates are deleted at once. */
const DELETIONS = 5;

/** EC2's limit, which it alone enforces, and the size from which a log line warns of it. Bytes before base64. */
const MOST_USER_DATA = 16384;
const MUCH_USER_DATA = 14745;

export const userDataBytes = defineGauge(
  'karpenter_ec2nodeclasses_userdata_bytes',
  ['nodeclass'],
  'Size in bytes of the rendered user data (raw, pre-base64) for the EC2NodeClass',
);

export interface LaunchTemplatesDeps {
  readonly ec2: Pick<Ec2Api, 'describeLaunchTemplates' | 'createLaunchTemplate' | 'deleteLaunchTemplate'>;
  readonly clock: SteadyClock;
  readonly logger: Logger;
  readonly metrics: Metrics;
  readonly clusterName: string;
  /** Aborted when the process stops. */
  readonly stopping: AbortSignal;
}

/** A template that is there, as far as we know. */
interface Kept {
  readonly id: string;
  readonly name: string;
  usedUntil: number; // elapsed milliseconds
}

/** A use of templates by one launch. */
export interface TemplateUse {
  /** Makes sure that the template is there. One that another process of this cluster has made is used. */
  ensure(name: string, spec: TemplateSpec, signal: AbortSignal): Promise<void>;
  /** The launch is over. */
  end(): void;
}

/**
 * The launch templates of this cluster. They are made when a launch needs them, and deleted a minute after the last that
 * did. Work on one template is done once for all launches that wait for it; work on different ones goes side by side.
 */
export class LaunchTemplates {
  readonly #deps: LaunchTemplatesDeps;
  readonly #kept = new Map<string, Kept>();
  /** Templates that are being looked for or created, by name. */
  readonly #underWay = new Map<string, Promise<Kept>>();
  /** Deletions, by name: a launch that needs the template waits for its end, and then makes it anew. */
  readonly #deletions = new Map<string, Promise<void>>();
  /** How many launches are under way with a template, by name. */
  readonly #uses = new Map<string, number>();
  readonly #changes: ChangeMonitor;
  readonly #searchPace: TokenBucket;
  readonly #creationPace: TokenBucket;
  readonly #deletionPace: TokenBucket;
  #searchDueAt = 0; // elapsed milliseconds

  constructor(deps: LaunchTemplatesDeps) {
    this.#deps = deps;
    this.#changes = new ChangeMonitor(deps.clock);
    this.#searchPace = new TokenBucket(READING_PACE, deps.clock);
    this.#creationPace = new TokenBucket(WRITING_PACE, deps.clock);
    this.#deletionPace = new TokenBucket(WRITING_PACE, deps.clock);
  }

  /**
   * Starts a use. Its templates are not deleted before its end: a launch may wait for others of its templates, or for EC2 to
   * admit its request, for longer than a template is kept.
   */
  startUse(): TemplateUse {
    const names = new Set<string>();
    return {
      ensure: (name, spec, signal) => {
        if (!names.has(name)) this.#uses.set(name, (this.#uses.get(name) ?? 0) + 1);
        names.add(name);
        return this.#ensure(name, spec, signal);
      },
      end: () => {
        for (const name of names) this.#endUse(name);
        names.clear();
      },
    };
  }

  async #ensure(name: string, spec: TemplateSpec, signal: AbortSignal): Promise<void> {
    const kept = this.#kept.get(name);
    if (kept !== undefined) {
      this.#keep(kept);
      return;
    }
    await unlessAborted(this.#obtain(name, spec), signal);
  }

  #endUse(name: string): void {
    const others = this.#uses.get(name)! - 1;
    if (others === 0) this.#uses.delete(name);
    else this.#uses.set(name, others);
    const kept = this.#kept.get(name);
    if (kept !== undefined) this.#keep(kept);
  }

  /** EC2 says that there is no such template. It is not deleted, for it may be that EC2 does not know of it yet. */
  invalidate(name: string): void {
    const fields = { 'launch-template-name': name, 'launch-template-id': this.#kept.get(name)?.id ?? '' };
    this.#deps.logger.debug('invalidating launch template in the cache because it no longer exists', fields);
    this.#kept.delete(name);
  }

  /**
   * Deletes the templates that no launch has used for a while. One that cannot be deleted is tried again next time. Before
   * the first time, and once an hour, those that other processes of this cluster have left are taken over.
   */
  async sweep(signal: AbortSignal): Promise<void> {
    if (this.#deps.clock.elapsed() >= this.#searchDueAt) await this.#hydrate(signal);
    const now = this.#deps.clock.elapsed();
    const expired = [...this.#kept.values()].filter(({ name, usedUntil }) => usedUntil <= now && !this.#uses.has(name));
    await runParallel(expired, DELETIONS, (template) => this.#deleteUnused(template, signal));
  }

  /** Deletes all templates of a NodeClass. Rejects if any is left. */
  async deleteFor(nodeClass: string, signal: AbortSignal): Promise<void> {
    const { ec2, clusterName, logger, metrics } = this.#deps;
    const names: string[] = [];
    try {
      const tags = { [CLUSTER_NAME_TAG]: clusterName, [EC2NODECLASS_TAG]: nodeClass };
      for await (const { name } of this.#list(tags, signal)) names.push(name);
    } catch (error) {
      throw wrapError('fetching launch templates', error);
    }
    const errors = await runParallel(names, DELETIONS, async (name) => {
      await this.#takeTurn(this.#deletionPace, signal);
      await ec2.deleteLaunchTemplate({ LaunchTemplateName: name }, signal);
    });
    if (names.length > 0) logger.debug('deleted launch templates', { launchTemplates: nameList(names, 5) });
    metrics.remove(userDataBytes, { nodeclass: nodeClass });
    if (errors.length > 0) throw wrapError('deleting launch templates', combineErrors(errors));
  }

  /**
   * Templates that are not named as ours are somebody else's, whatever their tags; upstream deletes these, too. A failure
   * is only logged: the next sweep tries again.
   */
  async #hydrate(signal: AbortSignal): Promise<void> {
    const { clock, clusterName, logger } = this.#deps;
    const fields = { 'tag-key': CLUSTER_NAME_TAG, 'tag-value': clusterName };
    try {
      for await (const template of this.#list({ [CLUSTER_NAME_TAG]: clusterName }, signal)) {
        const { name } = template;
        if (name.startsWith(TEMPLATE_PREFIX) && !this.#kept.has(name)) this.#keep(template);
      }
      this.#searchDueAt = clock.elapsed() + SEARCH_INTERVAL;
      logger.debug('hydrated launch template cache', { ...fields, count: this.#kept.size });
    } catch (error) {
      signal.throwIfAborted();
      logger.error('unable to hydrate the AWS launch template cache', error, fields);
    }
  }

  /** The work goes on when whoever asked for it has left: others may wait for it, too. */
  #obtain(name: string, spec: TemplateSpec): Promise<Kept> {
    const present = this.#underWay.get(name);
    if (present !== undefined) return present;
    const work = this.#findOrCreate(name, spec, this.#deps.stopping).finally(() => this.#underWay.delete(name));
    work.catch(() => undefined); // all who wait for it may have left
    this.#underWay.set(name, work);
    return work;
  }

  async #findOrCreate(name: string, spec: TemplateSpec, signal: AbortSignal): Promise<Kept> {
    await this.#deletions.get(name);
    const found = (await this.#find(name, signal)) ?? (await this.#create(name, spec, signal));
    return this.#keep({ id: found.LaunchTemplateId ?? '', name });
  }

  async #find(name: string, signal: AbortSignal): Promise<LaunchTemplate | undefined> {
    const { ec2, logger } = this.#deps;
    let found: readonly LaunchTemplate[];
    await this.#takeTurn(this.#searchPace, signal);
    try {
      found = (await ec2.describeLaunchTemplates({ LaunchTemplateNames: [name] }, signal)).LaunchTemplates ?? [];
    } catch (error) {
      if (isAwsNotFound(error)) return undefined;
      throw wrapError('describing launch templates', error);
    }
    if (found.length !== 1) {
      const values = { 'launch-template-count': found.length };
      throw new StructuredError('expected to find one launch template', values);
    }
    if (this.#changes.hasChanged(name, name)) {
      logger.debug('discovered launch template', { 'launch-template-name': name });
    }
    return found[0];
  }

  async #create(name: string, spec: TemplateSpec, signal: AbortSignal): Promise<LaunchTemplate> {
    const { ec2, logger } = this.#deps;
    try {
      const userData = renderUserData(spec.userData);
      this.#measure(userData, spec.nodeClassName, name);
      await this.#takeTurn(this.#creationPace, signal);
      const { LaunchTemplate } = await ec2.createLaunchTemplate(templateBody(spec, { name, userData }), signal);
      const id = LaunchTemplate?.LaunchTemplateId ?? '';
      logger.debug('created launch template', { 'launch-template-name': name, id });
      return { LaunchTemplateId: id };
    } catch (error) {
      // Another process was faster, or the answer to our own request was lost. Equal names mean equal templates.
      if (findAwsError(error)?.code === 'InvalidLaunchTemplateName.AlreadyExistsException') {
        return (await this.#find(name, signal)) ?? {};
      }
      throw wrapError('creating launch template', error);
    }
  }

  async #takeTurn(pace: TokenBucket, signal: AbortSignal): Promise<void> {
    const delay = pace.reserve();
    if (delay > 0) await this.#deps.clock.sleep(delay, signal);
  }

  #measure(userData: string, nodeClass: string, name: string): void {
    const { logger, metrics } = this.#deps;
    const bytes = Buffer.byteLength(userData, 'base64');
    metrics.set(userDataBytes, { nodeclass: nodeClass }, bytes);
    if (bytes < MUCH_USER_DATA) return;
    logger.info('rendered user data is approaching the EC2 user data size limit', {
      'launch-template-name': name,
      'userdata-bytes': bytes,
      'warn-threshold': MUCH_USER_DATA,
      limit: MOST_USER_DATA,
    });
  }

  #keep(template: Pick<Kept, 'id' | 'name'>): Kept {
    const kept = { ...template, usedUntil: this.#deps.clock.elapsed() + LIFETIME };
    this.#kept.set(template.name, kept);
    return kept;
  }

  async #deleteUnused(template: Kept, signal: AbortSignal): Promise<void> {
    const { name } = template;
    if (this.#kept.get(name) !== template || this.#uses.has(name)) return; // used meanwhile
    this.#kept.delete(name);
    const deletion = this.#delete(template, signal);
    this.#deletions.set(name, deletion);
    await deletion;
    this.#deletions.delete(name);
  }

  async #delete(template: Kept, signal: AbortSignal): Promise<void> {
    const { id, name } = template;
    const { ec2, logger } = this.#deps;
    try {
      await this.#takeTurn(this.#deletionPace, signal);
      await ec2.deleteLaunchTemplate(id === '' ? { LaunchTemplateName: name } : { LaunchTemplateId: id }, signal);
      logger.debug('deleted launch template', { id, name });
    } catch (error) {
      if (isAwsNotFound(error)) return;
      this.#kept.set(name, template); // expired still, so the next sweep tries again
      if (!signal.aborted) logger.error('failed to delete launch template', error, { 'launch-template': name });
    }
  }

  async *#list(
    tags: Readonly<Record<string, string>>,
    signal: AbortSignal,
  ): AsyncGenerator<Pick<Kept, 'id' | 'name'>, void, undefined> {
    const Filters = Object.entries(tags).map(([key, value]) => ({ Name: `tag:${key}`, Values: [value] }));
    const { describeLaunchTemplates } = this.#deps.ec2;
    for await (const page of pages(describeLaunchTemplates, { Filters, MaxResults: PAGE_SIZE }, signal)) {
      for (const { LaunchTemplateId: id = '', LaunchTemplateName: name } of page.LaunchTemplates ?? []) {
        if (name !== undefined) yield { id, name };
      }
    }
  }
}
