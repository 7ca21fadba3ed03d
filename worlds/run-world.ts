import { NODE_CLAIMS, NODE_POOLS } from '@karpenter-ts/apis';
import { MINUTE, unlessGone } from '@karpenter-ts/runtime';
import { PODS, VOLUME_ATTACHMENTS } from '@karpenter-ts/kubernetes';
import { baseManifests, HELD, type Manifest, NAMESPACE, pool, typeOf, workload } from './cluster/manifests.ts';
import { listInstances, takeSnapshot } from './cluster/snapshot.ts';
import { nodeClassesOf } from './cluster/node-class.ts';
import type { AwsJudge } from './invariants/aws-judge.ts';
import { findDuplicates } from './invariants/duplicates.ts';
import { Leaks } from './invariants/leaks.ts';
import { findUnconverged } from './invariants/convergence.ts';
import { canRest, findUnrest } from './invariants/rest.ts';
import type { Violation } from './invariants/violation.ts';
import type { WorldPlan } from './plan/world-plan.ts';
import { Environment, type EnvironmentSettings } from './environment.ts';
import { takeStep } from './take-step.ts';

/** How a world went. */
export interface Outcome {
  /** None if all is well; a world ends with its first. */
  readonly violations: readonly Violation[];
  readonly journal: readonly string[];
  /** Equal for equal runs. */
  readonly digest: string;
  readonly tally: Tally;
}

/** How much happened in a world. */
export interface Tally {
  readonly steps: number;
  /** How many operators were killed, and how many faults were injected into their requests and calls. */
  readonly deaths: number;
  readonly apiFaults: number;
  readonly cloudFaults: number;
  /** How many commands operators have started, to delete or replace nodes. */
  readonly commands: number;
  /** Milliseconds of that world. */
  readonly duration: number;
}

const CHECK_PERIOD = 1 * MINUTE;
/** How long the last step has to show its effect, before all is taken back. */
const AFTERMATH = 2 * MINUTE;
/** By then a calm world has settled: a registration may time out, and then a second one follows. */
const CALM = 60 * MINUTE;
/** By then nodes are left in peace: a few dozen of them may have to be replaced one at a time, each in minutes. */
const RESTLESS = 60 * MINUTE;

/** Shows whether the operator still works: its pods have no room unless a node is added. */
const PROBE = {
  name: 'probe',
  kind: 'Deployment',
  replicas: 2,
  cpu: '6',
  graceSeconds: 0,
  tolerates: false,
  hasFinalizer: false,
  hasVolume: false,
  isSpread: false,
} as const;

/** Runs a world: the steps of its plan, then a time without faults, then a last task. Ends at the first violation. */
export async function runWorld(plan: WorldPlan, settings: EnvironmentSettings = {}): Promise<Outcome> {
  const env = await Environment.open(plan, settings);
  const start = env.clock.now();
  try {
    await new World(env).run();
  } catch (error) {
    // The clock gives up on a world in which something runs for ever.
    env.report({
      invariant: 'stuck',
      detail: error instanceof Error ? (error.stack ?? error.message) : String(error),
    });
  }
  const { violations, journal, clock, deaths, apiFaults, cloudFaults, aws, observer } = env;
  const tally: Tally = {
    steps: plan.steps.length,
    deaths,
    apiFaults: apiFaults.injectedCount,
    cloudFaults: cloudFaults.injectedCount + (aws?.injectedCount ?? 0),
    commands: observer.commandCount,
    duration: clock.now() - start,
  };
  await env.close();
  return { violations: [...violations], journal: journal.lines, digest: journal.digest, tally };
}

class World {
  readonly #env: Environment;
  readonly #leaks: Leaks;

  constructor(env: Environment) {
    this.#env = env;
    this.#leaks = new Leaks(env);
  }

  async run(): Promise<void> {
    const { plan, clock, journal } = this.#env;
    const start = clock.now();
    const manifests = [
      ...baseManifests(plan.cloud),
      ...plan.pools.map((one) => pool(one, plan.cloud)),
      ...plan.workloads.flatMap(workload),
    ];
    for (const manifest of manifests) await this.#create(manifest);
    this.#env.startOperators();
    for (const { at, step } of plan.steps) {
      await this.#passUntil(start + at);
      if (this.#isOver) return;
      await takeStep(this.#env, step);
      await this.#check();
    }
    await this.#passUntil(clock.now() + AFTERMATH);
    if (this.#isOver) return;
    await this.#env.calmDown();
    await this.#settle();
    if (this.#isOver) return;
    journal.tell('a last task');
    for (const manifest of workload(PROBE)) await this.#create(manifest);
    await this.#settle();
    if (this.#isOver) return;
    journal.tell('the last task is done');
    await this.#env.cluster.client.delete(typeOf(PROBE), { namespace: NAMESPACE, name: PROBE.name });
    await this.#rest();
    await this.#settle();
    if (this.#env.awsJudge !== undefined && !this.#isOver) await this.#leave(this.#env.awsJudge);
  }

  /** Deletes everything. Then nothing of it may be left in AWS. */
  async #leave(judge: AwsJudge): Promise<void> {
    const { clock, cluster, journal, plan } = this.#env;
    const { client } = cluster;
    journal.tell('everything is deleted');
    this.#env.forgetLater();
    const objects = [
      ...plan.workloads.flatMap(workload),
      ...plan.pools.map((one) => pool(one, plan.cloud)),
      ...baseManifests(plan.cloud),
    ];
    for (const { type, object } of objects) await unlessGone(client.delete(type, object.metadata));
    const end = clock.now() + CALM;
    for (;;) {
      await this.#release();
      await this.#passUntil(clock.now() + CHECK_PERIOD);
      if (this.#isOver) return;
      const left = [
        ...(await client.listAll(NODE_CLAIMS)).items,
        ...(await client.listAll(NODE_POOLS)).items,
        ...(await client.listAll(nodeClassesOf(plan.cloud))).items,
      ];
      if (left.length === 0) break;
      if (clock.now() < end) continue;
      const names = left.map(({ kind, metadata }) => `${kind} ${metadata.name}`).join(', ');
      this.#env.report({ invariant: 'stuck', detail: `${names} cannot be deleted` });
      return;
    }
    for (const violation of judge.findRemains()) this.#env.report(violation);
  }

  get #isOver(): boolean {
    return this.#env.violations.length > 0;
  }

  async #create({ type, object }: Manifest): Promise<void> {
    await this.#env.cluster.client.create(type, object);
  }

  /** Lets time pass, and looks at the world every minute. */
  async #passUntil(instant: number): Promise<void> {
    const { clock } = this.#env;
    while (clock.now() < instant && !this.#isOver) {
      await clock.advance(Math.min(CHECK_PERIOD, instant - clock.now()));
      await this.#check();
    }
  }

  async #check(): Promise<void> {
    const { cluster, plan } = this.#env;
    const instances = await listInstances(cluster.client);
    const ofAws = (await this.#env.awsJudge?.find()) ?? [];
    for (const violation of [...this.#leaks.find(instances), ...findDuplicates(instances, plan.cloud), ...ofAws]) {
      this.#env.report(violation);
    }
  }

  /** Waits until all is as it should be. What is not so by then never will be. */
  async #settle(): Promise<void> {
    const { clock, cluster, plan } = this.#env;
    const end = clock.now() + CALM;
    let unconverged: readonly Violation[];
    do {
      await this.#release();
      await this.#passUntil(clock.now() + CHECK_PERIOD);
      if (this.#isOver) return;
      unconverged = findUnconverged({ ...(await takeSnapshot(cluster.client)), plan, now: clock.now() });
    } while ((unconverged.length > 0 || this.#isWaiting) && clock.now() < end);
    for (const violation of [...unconverged, ...this.#findUnread()]) this.#env.report(violation);
  }

  #findUnread(): readonly Violation[] {
    const count = this.#env.aws?.queueSize ?? 0;
    return count === 0 ? [] : [{ invariant: 'interruption', detail: `${count} messages are left in the queue` }];
  }

  /** Whether there is anything that goes by itself. */
  get #isWaiting(): boolean {
    return this.#leaks.hasUnclaimed || (this.#env.awsJudge?.isWaiting ?? false);
  }

  /** Waits until nodes are left in peace. A cluster in which nothing changes does not go on for ever. */
  async #rest(): Promise<void> {
    const { clock, cluster, observer } = this.#env;
    const end = clock.now() + RESTLESS;
    for (;;) {
      const instances = await listInstances(cluster.client);
      if (!canRest(instances)) return;
      const activity = findUnrest({ ...instances, now: clock.now(), lastCommand: observer.lastCommand });
      const unrest = [...activity, ...(await observer.findLeftovers())];
      if (unrest.length === 0) return;
      if (clock.now() >= end) {
        for (const violation of unrest) this.#env.report(violation);
        return;
      }
      await this.#passUntil(clock.now() + CHECK_PERIOD);
      if (this.#isOver) return;
    }
  }

  /** Lets go of what only the world holds. */
  async #release(): Promise<void> {
    const { cluster, fleet } = this.#env;
    const { client, faults } = cluster;
    for (const { metadata } of (await client.listAll(VOLUME_ATTACHMENTS)).items)
      await client.delete(VOLUME_ATTACHMENTS, metadata);
    const { nodes, pods } = await takeSnapshot(client);
    for (const { metadata } of nodes) {
      if (faults.has(metadata.name, 'never-ready') && fleet?.runs(metadata.name)) faults.heal(metadata.name);
    }
    for (const { metadata } of pods) {
      if (metadata.deletionTimestamp === undefined || !metadata.finalizers?.includes(HELD)) continue;
      const finalizers = metadata.finalizers.filter((finalizer) => finalizer !== HELD);
      await client.patch(PODS, metadata, { type: 'merge', body: { metadata: { finalizers } } });
    }
  }
}
