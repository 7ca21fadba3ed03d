import { type Clock, type Instant, MINUTE, SECOND } from '@karpenter-ts/runtime';
import type { AwsCall } from '../../faults/aws-connection.ts';
import type { Violation } from '../violation.ts';

interface Deps {
  readonly clock: Clock;
  readonly report: (violation: Violation) => void;
  /** Whether the operator lives. */
  readonly isAlive: () => boolean;
}

/** How long a request may take to be sent again that was not answered. */
const RESENT = 30 * SECOND;
/** For so long EC2 is not asked again for what it has lately had no capacity for; as upstream's AWS provider has it. */
const MEMORY = 3 * MINUTE;
/** A launch that was begun before may still ask for it: it waits for its templates, and for slow answers. */
const UNDER_WAY = 70 * SECOND;

const OVERRIDE = /^LaunchTemplateConfigs\.\d+\.Overrides\.\d+$/;
const FAILURE = /<item>(?:(?!<\/?item>).)*<errorCode>InsufficientInstanceCapacity<\/errorCode>.*?<\/item>/gs;

/** What one operator buys: never the same twice, and nothing that it has just been told there is none of. */
export class Purchases {
  readonly #deps: Deps;
  readonly #answered = new Map<string, boolean>(); // by client token: whether the last call with it was
  readonly #asked = new Map<string, number>(); // by client token: how often
  readonly #exhausted = new Map<string, Instant>(); // pools that EC2 has refused, or taken an instance of back

  constructor(deps: Deps) {
    this.#deps = deps;
  }

  asking({ operation, parameters }: AwsCall): void {
    if (!isPurchase({ operation, parameters })) return;
    const token = parameters.get('ClientToken') ?? '';
    const times = this.#asked.get(token) ?? 0;
    this.#asked.set(token, times + 1);
    if (times > 0) return; // as it was composed before
    for (const pool of poolsOf(parameters)) {
      const since = this.#exhausted.get(pool);
      const age = this.#deps.clock.now() - (since ?? -Infinity);
      if (age < UNDER_WAY || age > MEMORY - 5 * SECOND) continue;
      const detail = `asked for ${pool} ${Math.round(age / SECOND)} s after EC2 had none`;
      this.#deps.report({ invariant: 'capacity', detail });
    }
  }

  told({ operation, parameters }: AwsCall, body: string): void {
    if (!isPurchase({ operation, parameters })) return;
    this.#answered.set(parameters.get('ClientToken') ?? '', true);
    const lifecycle = lifecycleOf(parameters);
    for (const [item] of body.matchAll(FAILURE)) {
      const [, type] = /<instanceType>(.*?)</.exec(item) ?? [];
      const [, zone] = /<availabilityZone>(.*?)</.exec(item) ?? [];
      if (type && zone) this.exhausted(type, zone, lifecycle);
    }
  }

  /** A call without an answer is sent again with the same token: it may have bought. */
  untold({ operation, parameters }: AwsCall): void {
    if (!isPurchase({ operation, parameters })) return;
    const { clock, report, isAlive } = this.#deps;
    const token = parameters.get('ClientToken') ?? '';
    if (this.#answered.has(token)) return;
    this.#answered.set(token, false);
    clock.after(RESENT, () => {
      if (!isAlive() || this.#answered.get(token) === true || (this.#asked.get(token) ?? 0) > 1) return;
      report({ invariant: 'double', detail: `a purchase that was not answered was not asked for again, ${token}` });
    });
  }

  /** EC2 has none of these, as the operator knows from now on. */
  exhausted(type: string, zone: string, lifecycle: string): void {
    const pool = `${type}/${zone}/${lifecycle}`;
    const now = this.#deps.clock.now();
    if (now - (this.#exhausted.get(pool) ?? -Infinity) > MEMORY) this.#exhausted.set(pool, now);
  }
}

/** A dry run, by which a NodeClass is validated, buys nothing. */
function isPurchase({ operation, parameters }: AwsCall): boolean {
  return operation === 'CreateFleet' && parameters.get('DryRun') !== 'true';
}

function lifecycleOf(parameters: ReadonlyMap<string, string>): string {
  return parameters.get('TargetCapacitySpecification.DefaultTargetCapacityType') ?? '';
}

/** The pools that a request allows, as `type/zone/lifecycle`. */
function poolsOf(parameters: ReadonlyMap<string, string>): readonly string[] {
  const overrides = new Set([...parameters.keys()].map((key) => key.slice(0, key.lastIndexOf('.'))));
  const lifecycle = lifecycleOf(parameters);
  return [...overrides]
    .filter((key) => OVERRIDE.test(key))
    .map((key) => `${parameters.get(`${key}.InstanceType`)}/${parameters.get(`${key}.AvailabilityZone`)}/${lifecycle}`);
}
