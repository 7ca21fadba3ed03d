import { customResourceDefinition, RESOURCES } from '@karpenter-ts/apis';
import { type Cluster, startCluster } from '@karpenter-ts/embedded';
import { createLogger, SECOND, type Transport, type TransportRequest, VirtualClock } from '@karpenter-ts/runtime';
import { seededRandom } from '@karpenter-ts/scheduling/testing';
import { type Decorator, fleetCloud, kwokCloud } from './cloud/cloud.ts';
import { Fleet } from './cloud/fleet.ts';
import { ApiFaultInjector } from './faults/api-fault-injector.ts';
import { CloudFaultInjector, faultyProvider } from './faults/faulty-provider.ts';
import { FaultyTransport } from './faults/faulty-transport.ts';
import type { SeededBug } from './faults/seeded-bug.ts';
import { SkewedClock } from './faults/skewed-clock.ts';
import { RequestChecker } from './invariants/request-checker.ts';
import type { Violation } from './invariants/violation.ts';
import { Journal } from './journal.ts';
import { runOperator } from './operator.ts';
import type { WorldPlan } from './plan/world-plan.ts';

/** How worlds are run, beside their plan. */
export interface StageSettings {
  /** What breaks the operator on purpose, to see whether anybody notices. */
  readonly bug?: SeededBug | undefined;
  /** Where the operator's log goes; only errors are looked at unless given. */
  readonly log?: ((line: string) => void) | undefined;
}

interface Life {
  readonly name: string;
  readonly transport: FaultyTransport;
  readonly end: AbortController;
}

const RESTART_DELAY = 5 * SECOND;

/** A cluster in virtual time, the cloud beside it, and operators that come and go. */
export class Stage {
  readonly plan: WorldPlan;
  readonly clock: VirtualClock;
  readonly operatorClock: SkewedClock;
  readonly cluster: Cluster;
  readonly fleet: Fleet | undefined;
  readonly apiFaults: ApiFaultInjector;
  readonly cloudFaults = new CloudFaultInjector();
  readonly journal: Journal;
  readonly violations: Violation[] = [];
  /** Whether the operator has nothing to fear any more. */
  isCalm = false;
  readonly #settings: StageSettings;
  readonly #random: () => number;
  readonly #pending = new Set<() => Promise<void>>();
  readonly #lives = new Set<Life>(); // in the order of their births
  #started = 0;
  #deaths = 0;
  #isClosed = false;

  private constructor(plan: WorldPlan, cluster: Cluster, clock: VirtualClock, settings: StageSettings) {
    this.plan = plan;
    this.clock = clock;
    this.cluster = cluster;
    this.operatorClock = new SkewedClock(clock);
    this.apiFaults = new ApiFaultInjector(clock);
    this.journal = new Journal(clock);
    this.fleet = plan.cloud === 'fleet' ? new Fleet(cluster, clock, (text) => this.journal.tell(text)) : undefined;
    this.#settings = settings;
    const random = seededRandom(plan.seed);
    this.#random = () => random.below(2 ** 32) / 2 ** 32;
  }

  /** An empty cluster, without an operator. */
  static async open(plan: WorldPlan, settings: StageSettings): Promise<Stage> {
    const clock = new VirtualClock();
    const kubelet = {
      readyDelay: 5 * SECOND,
      startDelay: 1 * SECOND,
      stopDelay: 3 * SECOND,
      completionDelay: 60 * SECOND,
    };
    const crds = RESOURCES.kwok.map(customResourceDefinition);
    const cluster = await startCluster({ clock, seed: plan.seed, crds, kubelet });
    return new Stage(plan, cluster, clock, settings);
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    for (const life of this.#lives) this.#kill(life, 'at the end');
    await this.clock.runUntil(this.cluster.stop());
  }

  /** How many operators have died. */
  get deaths(): number {
    return this.#deaths;
  }

  report(violation: Violation): void {
    this.violations.push(violation);
    this.journal.tell(`VIOLATION ${violation.invariant}: ${violation.detail}`);
  }

  /** Starts as many operators as there should be, each with an empty memory. */
  startOperators(): void {
    if (this.#isClosed) return;
    while (this.#lives.size < this.plan.replicas) this.#startOperator();
  }

  /** Ends the operator that has lived longest, in the middle of whatever it does. */
  killOldest(downFor: number): void {
    const [oldest] = this.#lives;
    if (oldest !== undefined) this.#kill(oldest, 'out of the blue', downFor);
  }

  #startOperator(): void {
    const { clock, operatorClock, journal } = this;
    const end = new AbortController();
    const tell = (text: string): void => journal.tell(text);
    const die = (where: string, downFor: number): void => this.#kill(life, where, downFor);
    const report = (violation: Violation): void => this.report(violation);
    const checker = new RequestChecker({ client: this.cluster.client, clock: operatorClock, report });
    const watch = async (request: TransportRequest): Promise<void> => {
      if (request.method !== 'GET') journal.note(`${request.method} ${request.path}`);
      await checker.check(request);
    };
    const server = this.cluster.transport;
    const transport = new FaultyTransport({ server, clock, injector: this.apiFaults, watch, tell, die });
    const life: Life = { name: `operator ${++this.#started}`, transport, end };
    this.#lives.add(life);
    journal.tell(`${life.name} starts`);
    const faults = { clock, injector: this.cloudFaults, checker, tell, die, dead: end.signal };
    const decorate: Decorator = (provider) => this.#providerWithBug(faultyProvider(provider, faults));
    const running = runOperator(
      {
        transport: this.#transportWithBug(transport),
        clock: operatorClock,
        logger: this.#logger(),
        providerModule: this.fleet ? fleetCloud(this.fleet, decorate) : kwokCloud(decorate),
        random: this.#random,
        repairs: this.plan.repairs,
        elects: this.plan.replicas > 1,
      },
      end.signal,
    );
    running.then(
      () => this.#ended(life, 'without a word'),
      (error: unknown) => this.#ended(life, String(error)),
    );
  }

  /** From now on nothing of it reaches anybody. Another one starts after `downFor`, if given. */
  #kill(life: Life, where: string, downFor?: number): void {
    if (!this.#lives.delete(life)) return;
    this.journal.tell(`${life.name} dies ${where}`);
    this.#deaths++;
    life.transport.die();
    life.end.abort(new Error('killed by the world'));
    if (downFor !== undefined) this.clock.after(downFor, () => this.startOperators());
  }

  /** Does something after so long, or when the world calms down, if that is sooner. */
  later(delay: number, action: () => Promise<void>): void {
    const run = async (): Promise<void> => {
      if (this.#pending.delete(run)) await action();
    };
    this.#pending.add(run);
    this.clock.after(delay, () => void run());
  }

  /** Takes back all that was only for a while. From now on nothing goes wrong. */
  async calmDown(): Promise<void> {
    this.journal.tell('the world calms down');
    this.isCalm = true;
    this.apiFaults.heal();
    this.cloudFaults.heal();
    this.operatorClock.heal();
    this.fleet?.heal();
    const due = Array.from(this.#pending); // what these put off again is not due
    for (const run of due) await run();
  }

  /** Ends all watches, as a restart of the API server does. */
  cutWatches(): void {
    for (const { transport } of this.#lives) transport.cutWatches();
  }

  /** A process that ends by itself is started again, by any cluster. It must not, in a world without faults. */
  #ended(life: Life, how: string): void {
    if (!this.#lives.has(life)) return;
    this.#kill(life, `by itself: ${how}`, RESTART_DELAY);
    if (this.isCalm) this.report({ invariant: 'crash', detail: `the operator ended ${how}` });
  }

  #logger() {
    const { log } = this.#settings;
    const write = (line: string): void => {
      log?.(line);
      if (line.includes('"Observed a panic"')) this.report({ invariant: 'crash', detail: line.trim() });
    };
    return createLogger({ level: log ? 'debug' : 'error', clock: this.operatorClock, write, format: 'json' });
  }

  #transportWithBug(transport: Transport): Transport {
    return this.#settings.bug?.transport?.(transport) ?? transport;
  }

  #providerWithBug: Decorator = (provider) => this.#settings.bug?.provider?.(provider) ?? provider;
}
