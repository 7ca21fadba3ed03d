import {
  ExpiringMap,
  errorText,
  HOUR,
  type Logger,
  MINUTE,
  type SteadyClock,
  StructuredError,
  unlessAborted,
} from '@karpenter-ts/runtime';
import type { SsmApi } from '../api/aws-apis.ts';
import { isAwsNotFound } from '../api/aws-error.ts';

/** A parameter that names an image. */
export interface SsmParameter {
  /** Its name or its ARN. */
  readonly name: string;
  /** An alias of ours or a selector term of the user leads to it. */
  readonly from: 'alias' | 'term';
  /** Whether AWS gives it another value with each release. */
  readonly mutable: boolean;
}

/** Where the values of parameters come from. */
export interface ParameterSource {
  /** The value. Rejects with a not-found AwsError among the causes if there is no such parameter. */
  get(parameter: SsmParameter, signal: AbortSignal): Promise<string>;
}

export interface SsmParametersDeps {
  readonly ssm: Pick<SsmApi, 'getParameter'>;
  readonly clock: SteadyClock;
  readonly logger: Logger;
  readonly stopping: AbortSignal;
}

/** For how long the value of a parameter is taken as it is, in milliseconds. */
export function lifetimeOf({ from }: SsmParameter): number {
  return from === 'alias' ? 24 * HOUR : 5 * MINUTE;
}

/** A value that could not be read again is used for this long after its time. */
const LAST_RESORT = 24 * HOUR;
const MISSING_LIFETIME = 5 * MINUTE;

interface Entry {
  readonly parameter: SsmParameter;
  readonly value: string;
  readonly freshUntil: number; // elapsed milliseconds
}

/**
 * The parameters of SSM that name images (spec 08 §7). A value is read again when its time is over. If SSM cannot be read
 * then, the last value stays: one failing call must not take an image out of a NodeClass, and so make drift of its nodes.
 */
export class SsmParameters implements ParameterSource {
  readonly #deps: SsmParametersDeps;
  readonly #entries = new Map<string, Entry>();
  /** Parameters of aliases that do not exist. There are some in every region, for images that are not built there. */
  readonly #missing: ExpiringMap<string, Error>;
  readonly #underWay = new Map<string, Promise<string>>();

  constructor(deps: SsmParametersDeps) {
    this.#deps = deps;
    this.#missing = new ExpiringMap(deps.clock, MISSING_LIFETIME);
  }

  async get(parameter: SsmParameter, signal: AbortSignal): Promise<string> {
    const { name } = parameter;
    const known = this.#entries.get(name);
    if (known !== undefined && this.#deps.clock.elapsed() < known.freshUntil) return known.value;
    const missing = parameter.from === 'alias' ? this.#missing.get(name) : undefined;
    if (missing !== undefined) throw missing;
    return unlessAborted(this.#underWay.get(name) ?? this.#start(parameter), signal);
  }

  /** The values that AWS may replace, by the names of their parameters. */
  mutableValues(): ReadonlyMap<string, string> {
    const now = this.#deps.clock.elapsed();
    const fresh = [...this.#entries.values()].filter((entry) => entry.parameter.mutable && now < entry.freshUntil);
    return new Map(fresh.map(({ parameter, value }) => [parameter.name, value]));
  }

  /** Reads the parameter again the next time it is asked for. */
  invalidate(name: string): void {
    const entry = this.#entries.get(name);
    if (entry !== undefined) this.#entries.set(name, { ...entry, freshUntil: this.#deps.clock.elapsed() });
  }

  /** The call goes on if the one who asked leaves: others may wait for its answer. */
  #start(parameter: SsmParameter): Promise<string> {
    const reading = this.#read(parameter).finally(() => this.#underWay.delete(parameter.name));
    this.#underWay.set(parameter.name, reading);
    return reading;
  }

  async #read(parameter: SsmParameter): Promise<string> {
    const { ssm, logger, stopping } = this.#deps;
    const { name } = parameter;
    try {
      const { Parameter: found } = await ssm.getParameter({ Name: name }, stopping);
      const value = found?.Value ?? '';
      this.#remember(parameter, value);
      logger.info('discovered ssm parameter', { parameter: name, value });
      return value;
    } catch (cause) {
      const error = new StructuredError(`getting ssm parameter, ${errorText(cause)}`, { parameter: name }, { cause });
      return this.#withoutAnswer(parameter, error);
    }
  }

  #remember(parameter: SsmParameter, value: string): void {
    const now = this.#deps.clock.elapsed();
    for (const [name, { freshUntil }] of this.#entries) {
      if (freshUntil + LAST_RESORT <= now) this.#entries.delete(name);
    }
    this.#entries.set(parameter.name, { parameter, value, freshUntil: now + lifetimeOf(parameter) });
  }

  #withoutAnswer({ name, from }: SsmParameter, error: StructuredError): string {
    if (isAwsNotFound(error)) {
      this.#entries.delete(name);
      if (from === 'alias') this.#missing.set(name, error);
      throw error;
    }
    const last = this.#entries.get(name);
    if (last === undefined || last.freshUntil + LAST_RESORT <= this.#deps.clock.elapsed()) throw error;
    this.#deps.logger.error('failed to read ssm parameter again, keeping its value', error, { value: last.value });
    return last.value;
  }
}
