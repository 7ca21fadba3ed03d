import { NODE_CLAIMS, NODE_POOLS, type NodeClaim, type NodePool } from '@karpenter-ts/apis';
import type { Cluster } from '@karpenter-ts/embedded';
import {
  type Node,
  NODES,
  type ApiObject,
  type Pod,
  type PodDisruptionBudget,
  POD_DISRUPTION_BUDGETS,
  PODS,
  type ResourceType,
} from '@karpenter-ts/kubernetes';
import { Client, type Instant, MINUTE, SECOND, type SteadyClock, type TransportRequest } from '@karpenter-ts/runtime';
import { findWrongCandidates } from '../invariants/command-grounds.ts';
import { findLeftovers } from '../invariants/leftovers.ts';
import { findExceededBudgets } from '../invariants/node-budgets.ts';
import { type IsEnding, Replacements } from '../invariants/replacements.ts';
import type { Violation } from '../invariants/violation.ts';
import { watchCluster } from './cluster-watch.ts';
import type { Moment } from './moment.ts';
import { ObservedCluster } from './observed-cluster.ts';
import type { PriceOf } from './price-list.ts';
import { describeCommand, findStartedCommand, type StartedCommand } from './started-command.ts';

interface Deps {
  readonly cluster: Cluster;
  readonly clock: SteadyClock;
  readonly operatorClock: SteadyClock;
  readonly priceOf: PriceOf;
  readonly isEnding: IsEnding;
  readonly tell: (text: string) => void;
  readonly report: (violation: Violation) => void;
}

/** What is observed of one operator. */
export interface OperatorObserver {
  /** To be told of each line of its log. */
  onLogLine(line: string): void;
  /** To be told of each request before the API server is. */
  onRequest(request: TransportRequest): Promise<void>;
}

/** As old as a cache may be in a world without faults: one pass of disruption, which reads it at its start. */
const LAG = 20 * SECOND;
/** For so long after a fault caches may be as old as the fault: lists and watches are tried again ever more slowly. */
const RECOVERY = 1 * MINUTE;
const CLAIM_REQUEST = /^\/apis\/karpenter\.sh\/v1\/nodeclaims\/([^/?]+)(?:\?|$)/;

/** Observes what operators disrupt: by their log, by their requests, and by what the API server says of the cluster. */
export class Observer {
  readonly #deps: Deps;
  readonly #client: Client;
  readonly #observed: ObservedCluster;
  readonly #disturbances: { readonly from: Instant; readonly until: Instant; readonly wall: Instant }[] = [];
  #steadySince: Instant;
  #lastCommand: Instant | undefined;
  #commandCount = 0;

  constructor(deps: Deps) {
    this.#deps = deps;
    const { cluster, clock } = deps;
    this.#client = new Client({ transport: cluster.transport, clock, userAgent: 'observer', takesValues: true });
    this.#observed = new ObservedCluster(clock);
    this.#steadySince = clock.now();
  }

  /** Observes until aborted. */
  async start(signal: AbortSignal): Promise<void> {
    const { cluster, clock } = this.#deps;
    await watchCluster(cluster, clock, this.#observed, signal);
  }

  /** When the last command was started, by any operator. */
  get lastCommand(): Instant | undefined {
    return this.#lastCommand;
  }

  /** How many commands were started so far. */
  get commandCount(): number {
    return this.#commandCount;
  }

  /** Since when an operator that reads caches knows what is so now. */
  get knownSince(): Instant {
    return this.#moment().since;
  }

  /** Nodes that should have been disrupted by now. */
  async findLeftovers(): Promise<readonly Violation[]> {
    await this.#refresh();
    return findLeftovers(this.#observed, this.#moment());
  }

  /** Something has come between the operators and the API server, for so long, or is about to change their clock. */
  disturbed(duration = 0): void {
    const { clock, operatorClock } = this.#deps;
    const from = clock.now();
    const until = from + duration;
    const last = this.#disturbances.at(-1);
    if (last?.from === from && last.until >= until && last.wall === operatorClock.now()) return;
    this.#disturbances.push({ from, until, wall: operatorClock.now() });
  }

  /** The operator's clock has jumped. */
  jumped(): void {
    this.#steadySince = this.#deps.clock.now();
  }

  /** An operator starts, which knows nothing of any other. */
  operatorStarts(): OperatorObserver {
    this.jumped();
    const replacements = new Replacements(this.#observed, this.#deps.priceOf, this.#deps.isEnding);
    return {
      onLogLine: (line) => {
        const command = findStartedCommand(line);
        if (command === undefined) return;
        this.#deps.tell(describeCommand(command));
        this.#commandCount++;
        this.#lastCommand = this.#deps.clock.now();
        replacements.started(command, this.#deps.clock.now());
        void this.#judge(command);
      },
      onRequest: async ({ method, path }) => {
        const [, name] = method === 'DELETE' ? (CLAIM_REQUEST.exec(path) ?? []) : [];
        if (name === undefined) return;
        await this.#refresh();
        for (const violation of replacements.deleting(name, this.#moment())) this.#deps.report(violation);
      },
    };
  }

  async #judge(command: StartedCommand): Promise<void> {
    const moment = this.#moment();
    await this.#refresh();
    const found = [
      ...findExceededBudgets(this.#observed, command, moment),
      ...findWrongCandidates(this.#observed, command, moment),
    ];
    for (const violation of found) this.#deps.report(violation);
  }

  /** Reads what the watches may not have told yet: the operator's may have been quicker. */
  async #refresh(): Promise<void> {
    const list = async <T extends ApiObject>(type: ResourceType) => (await this.#client.listAll<T>(type)).items;
    const [nodes, claims, pools, pods, budgets] = await Promise.all([
      list<Node>(NODES),
      list<NodeClaim>(NODE_CLAIMS),
      list<NodePool>(NODE_POOLS),
      list<Pod>(PODS),
      list<PodDisruptionBudget>(POD_DISRUPTION_BUDGETS),
    ]);
    this.#observed.setAll({ nodes, claims, pools, pods, budgets });
  }

  #moment(): Moment {
    const { clock, operatorClock } = this.#deps;
    const now = clock.now();
    const recent = this.#disturbances.filter(({ until }) => now - until < RECOVERY);
    const since = Math.min(now, ...recent.map(({ from }) => from)) - LAG;
    const wall = operatorClock.now();
    const walls = [wall, wall - (now - since), ...recent.map((one) => one.wall)];
    return { now, since, walls, steadySince: this.#steadySince };
  }
}
