import { customResourceDefinition, RESOURCES } from '@karpenter-ts/apis';
import type { ConfiguredProvider } from '@karpenter-ts/cloudprovider';
import { type Cluster, startCluster } from '@karpenter-ts/embedded';
import { createLogger, SECOND, type Transport, type TransportRequest, VirtualClock } from '@karpenter-ts/runtime';
import { seededRandom } from '@karpenter-ts/kubernetes/testing';
import { AwsCloud, warmUpAws } from './cloud/aws-cloud.ts';
import { awsPrices } from './cloud/aws-prices.ts';
import { type Decorator, fleetCloud, kwokCloud, pricesOf } from './cloud/cloud.ts';
import { Fleet } from './cloud/fleet.ts';
import { AwsCallInjector } from './faults/aws-call-injector.ts';
import { type AwsCallChecker, awsConnection } from './faults/aws-connection.ts';
import { ApiFaultInjector } from './faults/api-fault-injector.ts';
import { CloudFaultInjector, faultyProvider } from './faults/faulty-provider.ts';
import { FaultyTransport } from './faults/faulty-transport.ts';
import type { SeededBug } from './faults/seeded-bug.ts';
import { SkewedClock } from './faults/skewed-clock.ts';
import { AwsJudge } from './invariants/aws-judge.ts';
import { RequestChecker } from './invariants/request-checker.ts';
import type { Violation } from './invariants/violation.ts';
import { Journal } from './journal.ts';
import { Observer } from './observer/observer.ts';
import { runOperator } from './operator.ts';
import type { WorldPlan } from './plan/world-plan.ts';

/** How a world is run, besides its plan. */
export interface EnvironmentSettings {
  /** A bug to put into the operator, to see whether an invariant fails. */
  readonly bug?: SeededBug | undefined;
  /** Where the operator's log goes, which is less detailed unless given. */
  readonly log?: ((line: string) => void) | undefined;
}

interface RunningOperator {
  readonly name: string;
  readonly transport: FaultyTransport;
  readonly end: AbortController;
}

const RESTART_DELAY = 5 * SECOND;

/** What a world runs in: a cluster in virtual time, its cloud, and the operators, which are started and killed. */
export class Environment {
  readonly plan: WorldPlan;
  readonly clock: VirtualClock;
  readonly operatorClock: SkewedClock;
  readonly cluster: Cluster;
  readonly fleet: Fleet | undefined;
  readonly aws: AwsCloud | undefined;
  readonly awsCalls = new AwsCallInjector();
  readonly awsJudge: AwsJudge | undefined;
  readonly apiFaults: ApiFaultInjector;
  readonly cloudFaults = new CloudFaultInjector();
  readonly journal: Journal;
  readonly observer: Observer;
  readonly violations: Violation[] = [];
  /** Whether no more faults are injected. */
  isCalm = false;
  readonly #settings: EnvironmentSettings;
  readonly #random: () => number;
  readonly #pending = new Set<() => Promise<void>>();
  readonly #operators = new Set<RunningOperator>(); // the oldest first
  readonly #end = new AbortController();
  #observing: Promise<void> = Promise.resolve();
  #started = 0;
  #deaths = 0;
  #isClosed = false;
  #troubledUntil = 0;

  private constructor(
    { plan, cluster, clock, journal, aws }: Pick<Environment, 'plan' | 'cluster' | 'clock' | 'journal' | 'aws'>,
    settings: EnvironmentSettings,
  ) {
    this.plan = plan;
    this.clock = clock;
    this.cluster = cluster;
    this.journal = journal;
    this.aws = aws;
    this.operatorClock = new SkewedClock(clock);
    this.apiFaults = new ApiFaultInjector(clock);
    this.fleet = plan.cloud === 'fleet' ? new Fleet(cluster, clock, (text) => this.journal.tell(text)) : undefined;
    this.observer = new Observer({
      cluster,
      clock,
      operatorClock: this.operatorClock,
      priceOf: plan.cloud === 'aws' ? awsPrices(aws!.emulator.ec2, clock) : pricesOf(plan.cloud),
      isEnding: (nodeClaim) => this.awsJudge?.isEnding(nodeClaim) ?? false,
      tell: (text) => this.journal.tell(text),
      report: (violation) => this.report(violation),
    });
    this.awsJudge =
      aws &&
      new AwsJudge({
        aws,
        client: cluster.client,
        clock,
        report: (violation) => this.report(violation),
        troubledUntil: () => this.#troubledUntil,
        knownSince: () => this.observer.knownSince,
      });
    this.#settings = settings;
    const random = seededRandom(plan.seed);
    this.#random = () => random.below(2 ** 32) / 2 ** 32;
  }

  /** An empty cluster, without an operator. */
  static async open(plan: WorldPlan, settings: EnvironmentSettings): Promise<Environment> {
    const clock = new VirtualClock();
    const kubelet = {
      readyDelay: 5 * SECOND,
      startDelay: 1 * SECOND,
      stopDelay: 3 * SECOND,
      completionDelay: 60 * SECOND,
    };
    if (plan.cloud === 'aws') await warmUpAws();
    const crds = RESOURCES[plan.cloud === 'aws' ? 'aws' : 'kwok'].map(customResourceDefinition);
    const cluster = await startCluster({ clock, seed: plan.seed, crds, kubelet });
    const journal = new Journal(clock);
    const aws =
      plan.cloud === 'aws'
        ? await AwsCloud.open({
            cluster,
            clock,
            seed: plan.seed,
            tell: (text) => journal.tell(text),
            onMessage: (message) => env.awsJudge?.onMessage(message),
            onFault: () => env.#disturbed(),
          })
        : undefined;
    const env: Environment = new Environment({ plan, cluster, clock, journal, aws }, settings);
    env.#observing = env.observer.start(env.#end.signal);
    return env;
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    for (const operator of this.#operators) this.#kill(operator, 'at the end');
    this.#end.abort();
    await this.clock.runUntil(this.#observing);
    await this.clock.runUntil(this.cluster.stop());
    await this.aws?.stop();
  }

  /** How many operators have died. */
  get deaths(): number {
    return this.#deaths;
  }

  report(violation: Violation): void {
    this.violations.push(violation);
    this.journal.tell(`VIOLATION ${violation.invariant}: ${violation.detail}`);
  }

  /** Starts operators until there are as many as planned. Each starts without any state. */
  startOperators(): void {
    if (this.#isClosed) return;
    while (this.#operators.size < this.plan.replicas) this.#startOperator();
  }

  /** Kills the oldest operator in the middle of whatever it does. */
  killOldest(downFor: number): void {
    const [oldest] = this.#operators;
    if (oldest !== undefined) this.#kill(oldest, 'out of the blue', downFor);
  }

  #startOperator(): void {
    const { clock, operatorClock, journal } = this;
    const end = new AbortController();
    const tell = (text: string): void => journal.tell(text);
    const die = (where: string, downFor: number): void => this.#kill(operator, where, downFor);
    const report = (violation: Violation): void => this.report(violation);
    const checker = new RequestChecker({ client: this.cluster.client, clock: operatorClock, report });
    const watch = async (request: TransportRequest): Promise<void> => {
      if (request.method !== 'GET') journal.note(`${request.method} ${request.path}`);
      await checker.check(request);
      await observer.onRequest(request);
    };
    const observer = this.observer.operatorStarts();
    const server = this.cluster.transport;
    const disturbed = (): void => this.#disturbed();
    const transport = new FaultyTransport({ server, clock, injector: this.apiFaults, watch, tell, die, disturbed });
    const operator: RunningOperator = { name: `operator ${++this.#started}`, transport, end };
    this.#operators.add(operator);
    journal.tell(`${operator.name} starts`);
    this.#disturbed();
    const faults = { clock, injector: this.cloudFaults, checker, tell, die, dead: end.signal };
    const decorate: Decorator = (provider) => this.#providerWithBug(faultyProvider(provider, faults));
    const awsJudge = this.awsJudge?.operatorStarts(() => !end.signal.aborted);
    const provider = this.#cloudOf(decorate, awsJudge, { die, dead: end.signal });
    const onLogLine = (line: string): void => {
      observer.onLogLine(line);
      awsJudge?.onLogLine(line);
    };
    const running = runOperator(
      {
        transport: this.#transportWithBug(transport),
        clock: operatorClock,
        logger: this.#logger(onLogLine),
        provider,
        random: this.#random,
        repairs: this.plan.repairs,
        elects: this.plan.replicas > 1,
      },
      end.signal,
    );
    running.then(
      () => this.#ended(operator, 'without a word'),
      (error: unknown) => this.#ended(operator, String(error)),
    );
  }

  /** The cloud as one operator has it. */
  #cloudOf(
    decorate: Decorator,
    checker: AwsCallChecker | undefined,
    { die, dead }: { readonly die: (where: string, downFor: number) => void; readonly dead: AbortSignal },
  ): ConfiguredProvider {
    if (this.fleet !== undefined) return fleetCloud(this.fleet, decorate);
    if (this.aws === undefined || checker === undefined) return kwokCloud(decorate);
    const { handler } = this.aws;
    const connection = awsConnection({ aws: handler, injector: this.awsCalls, checker, die, dead });
    return this.aws.provider(this.#settings.bug?.aws?.(connection) ?? connection, decorate);
  }

  /** Something comes between operators and what they work with, for so long. */
  #disturbed(duration = 0): void {
    this.observer.disturbed(duration);
    this.#troubledUntil = Math.max(this.#troubledUntil, this.clock.now() + duration);
  }

  /** Cuts an operator off from the API server and the cloud. Another one starts after `downFor`, if given. */
  #kill(operator: RunningOperator, where: string, downFor?: number): void {
    if (!this.#operators.delete(operator)) return;
    this.journal.tell(`${operator.name} dies ${where}`);
    this.#deaths++;
    this.#disturbed();
    operator.transport.die();
    operator.end.abort(new Error('killed by the world'));
    if (downFor !== undefined) this.clock.after(downFor, () => this.startOperators());
  }

  /** Runs an action after a delay, or when the world calms down if that comes first. */
  later(delay: number, action: () => Promise<void>): void {
    const run = async (): Promise<void> => {
      if (this.#pending.delete(run)) await action();
    };
    this.#pending.add(run);
    this.clock.after(delay, () => void run());
  }

  /** Nothing that was to come later comes any more: what was deleted stays so. */
  forgetLater(): void {
    this.#pending.clear();
  }

  /** The server is unreachable for so long, and all watches end. */
  beginOutage(duration: number): void {
    this.#disturbed(duration);
    this.apiFaults.beginOutage(duration);
    this.cutWatches();
  }

  /** Moves the wall time of the operators' host. */
  jumpClock(by: number): void {
    this.#disturbed();
    this.operatorClock.jump(by);
    this.observer.jumped();
  }

  /** Ends all faults. From now on nothing goes wrong. */
  async calmDown(): Promise<void> {
    this.journal.tell('the world calms down');
    this.isCalm = true;
    this.#disturbed();
    this.observer.jumped();
    this.apiFaults.heal();
    this.cloudFaults.heal();
    this.operatorClock.heal();
    this.fleet?.heal();
    this.aws?.heal();
    this.awsCalls.heal();
    const due = Array.from(this.#pending); // what these schedule anew is not due
    for (const run of due) await run();
  }

  /** Ends all watches, as a restart of the API server does. */
  cutWatches(): void {
    this.#disturbed();
    for (const { transport } of this.#operators) transport.cutWatches();
  }

  /** Starts an operator again that ended by itself, as a Deployment does. In a world without faults it must not end. */
  #ended(operator: RunningOperator, how: string): void {
    if (!this.#operators.has(operator)) return;
    this.#kill(operator, `by itself: ${how}`, RESTART_DELAY);
    if (this.isCalm) this.report({ invariant: 'crash', detail: `the operator ended ${how}` });
  }

  #logger(observe: (line: string) => void) {
    const { log } = this.#settings;
    const write = (line: string): void => {
      log?.(line);
      observe(line);
      if (line.includes('"Observed a panic"')) this.report({ invariant: 'crash', detail: line.trim() });
    };
    return createLogger({ level: log ? 'debug' : 'info', clock: this.operatorClock, write, format: 'json' });
  }

  #transportWithBug(transport: Transport): Transport {
    return this.#settings.bug?.transport?.(transport) ?? transport;
  }

  #providerWithBug: Decorator = (provider) => this.#settings.bug?.provider?.(provider) ?? provider;
}
