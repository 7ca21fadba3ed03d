import type { Write } from './api-proxy.ts';
import type { ControllerProcess } from './controller-process.ts';
import type { Installation } from './installation.ts';
import { type Tenant, TENANT } from './tenant.ts';

/** A point at which the controller is killed: the nth write that concerns a tenant. */
interface CrashPoint {
  readonly tenant: string;
  /** The number of the write that concerns the tenant. */
  readonly at: number;
  /** The outcomes of its writes so far: a write that is repeated because its response was lost counts once. */
  readonly writes: Set<string>;
}

/** Writes of Events and leases do not count. */
const UNIMPORTANT = /\/(events|leases)([/?]|$)/;

/** What a plan is made of. */
export interface CrashPlanOptions {
  readonly installation: Installation;
  readonly tenants: readonly Tenant[];
  /** Of each controller. */
  readonly settings: Readonly<Record<string, string>>;
  /** Where counting starts; at the first write of a tenant by default. */
  readonly isBegin?: (write: Write) => boolean;
}

/**
 * Kills the controller repeatedly: for the first tenant at the first write that concerns it, for the second at the
 * second, and so on. The write is carried out, but the controller never gets the response. Another process is started
 * each time.
 */
export class CrashPlan {
  readonly #options: CrashPlanOptions;
  readonly #points: readonly CrashPoint[];
  #controller: ControllerProcess | undefined;
  #crash: Promise<void> | undefined;
  #crashes = 0;

  constructor(options: CrashPlanOptions) {
    this.#options = options;
    this.#points = options.tenants.map(({ name }, index) => ({ tenant: name, at: index + 1, writes: new Set() }));
  }

  /** Starts the first controller. */
  start(): void {
    const { installation, settings } = this.#options;
    installation.proxy.afterWrite = (write) => this.#count(write);
    this.#controller = installation.start(settings);
  }

  /** How often the controller was killed. */
  get crashes(): number {
    return this.#crashes;
  }

  /** Tenants that had fewer writes than that. */
  get spared(): readonly string[] {
    return this.#points.filter(({ at, writes }) => writes.size < at).map(({ tenant }) => tenant);
  }

  /** Kills the last controller. */
  async stop(): Promise<void> {
    this.#options.installation.proxy.afterWrite = () => undefined;
    await this.#crash;
    await this.#controller?.kill(); // it may only just have been started
  }

  async #count(write: Write): Promise<void> {
    const { isBegin = () => true } = this.#options;
    const point = UNIMPORTANT.test(write.path) ? undefined : this.#points.find(({ tenant }) => concerns(write, tenant));
    if (point === undefined || (point.writes.size === 0 && !isBegin(write))) return;
    const isKnown = point.writes.has(outcomeOf(write));
    point.writes.add(outcomeOf(write));
    if (!isKnown && point.writes.size === point.at) this.#crash ??= this.#replace();
    await this.#crash; // whatever else was on its way is not heard of, either
  }

  async #replace(): Promise<void> {
    const { installation, settings } = this.#options;
    this.#crashes++;
    await this.#controller?.kill();
    this.#controller = installation.start(settings);
    this.#crash = undefined;
  }
}

/** Equal for a write that is repeated and changes nothing. */
function outcomeOf({ method, path, answer }: Write): string {
  return `${method} ${path} ${answer.metadata?.resourceVersion}`;
}

/** Whether a write is about an object of the tenant: by label, by namespace, or by a pool of its name. */
function concerns({ path, answer }: Write, tenant: string): boolean {
  return answer.metadata?.labels?.[TENANT] === tenant || path.split(/[/?]/).includes(tenant);
}
