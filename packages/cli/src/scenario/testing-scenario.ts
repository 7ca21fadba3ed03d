import assert from 'node:assert/strict';
import { customResourceDefinition, NODE_CLAIMS, NODEPOOL_LABEL, type NodeClaim, RESOURCES } from '@karpenter-ts/apis';
import { startCluster } from '@karpenter-ts/embedded';
import { type ApiObject, isTrue, NODES, PODS, type ResourceType } from '@karpenter-ts/kubernetes';
import { type Client, createLogger, SECOND, VirtualClock } from '@karpenter-ts/runtime';
import type { AwsAccount } from '../aws/account.ts';
import { startAwsCloud } from '../aws/aws-cloud.ts';
import { recordingIo } from '../testing-io.ts';
import type { Cloud } from '../up/cloud.ts';
import { KWOK_CLOUD } from '../up/kwok-cloud.ts';
import { createController } from '../up/controller.ts';
import { countFigures, type Figures, type SeenNode, type SeenPod } from '../up/figures.ts';
import { play } from './playback.ts';
import { withPodCount } from './pod-count.ts';
import { loadScenario } from './scenario-file.ts';

/** How a scenario is played in a test. */
interface Settings {
  /** What the clock says at the start. */
  readonly start?: number;
  /** How many pods it begins with; as many as it says unless given. */
  readonly pods?: number;
  /** EC2's instance types; all of them, which take seconds to be described, unless given. */
  readonly instanceTypes?: readonly string[];
  /** Lines of errors that the scenario brings about. */
  readonly expectedErrors?: RegExp;
}

/** A shipped scenario that is being played in virtual time, with the controller in its cluster. */
export interface PlayedScenario {
  /** Lets time pass. Fails if the controller has logged an error that was not expected. */
  pass(duration: number): Promise<void>;
  figures(): Promise<Figures>;
  nodes(pool?: string): Promise<readonly SeenNode[]>;
  readonly client: Client;
  /** The account of AWS; undefined if the scenario is not about that. */
  readonly account: AwsAccount | undefined;
  /** What the steps have said. */
  readonly told: readonly string[];
  /** Messages of events that have this reason, sorted, each once. */
  messages(reason: string): Promise<readonly string[]>;
  /** The lines of the log that say that nodes are disrupted: each command in upstream's words, without its id. */
  readonly commands: readonly string[];
  /** The most nodes of a pool that were tainted for disruption at a time. */
  readonly mostDisrupted: number;
  stop(): Promise<void>;
}

const LOOK_PERIOD = 5 * SECOND;

/** Starts a cluster as `karpenter up` does, and plays the scenario of this name in it. */
export async function startScenario(name: string, settings: Settings = {}): Promise<PlayedScenario> {
  const { start, pods, instanceTypes, expectedErrors } = settings;
  const clock = new VirtualClock(start);
  const loaded = await loadScenario(name, recordingIo());
  const types = instanceTypes && { instanceTypes };
  const cloud: Cloud = loaded.provider === 'aws' ? await startAwsCloud({ clock, seed: 1, ...types }) : KWOK_CLOUD;
  const crds = RESOURCES[loaded.provider].map(customResourceDefinition);
  const cluster = await startCluster({ clock, seed: 1, crds, kubelet: { completionDelay: 5 * SECOND } });
  cloud.adopt(cluster);
  const { client, faults } = cluster;
  const lines: string[] = [];
  const told: string[] = [];
  const logger = createLogger({ level: 'info', clock, format: 'json', write: (line) => void lines.push(line) });
  const ending = new AbortController();
  const controller = await clock.runUntil(createController({ cluster, cloud, clock, logger }));
  const running = controller.start(ending.signal);
  const file = pods === undefined ? loaded : { ...loaded, spec: withPodCount(loaded.spec, pods) };
  const playing = play(
    file,
    { client, faults, clock, account: cloud.account, tell: (text) => void told.push(text) },
    ending.signal,
  );
  playing.catch(() => undefined); // `stop` tells
  const list = async <T extends ApiObject>(type: ResourceType) => (await client.listAll<T>(type)).items;
  const nodes = async (pool?: string): Promise<readonly SeenNode[]> => {
    const all = await list<SeenNode>(NODES);
    return all.filter(({ metadata }) => pool === undefined || metadata.labels?.[NODEPOOL_LABEL] === pool);
  };
  let mostDisrupted = 0;
  const look = async (): Promise<void> => {
    const claims = await list<NodeClaim>(NODE_CLAIMS);
    const disrupted = claims.filter(
      (claim) => isTrue(claim, 'DisruptionReason') && !isTrue(claim, 'InstanceTerminating'),
    );
    mostDisrupted = Math.max(mostDisrupted, disrupted.length);
  };
  return {
    pass: async (duration) => {
      for (let passed = 0; passed < duration; passed += LOOK_PERIOD) {
        await clock.advance(LOOK_PERIOD);
        await look();
      }
      assert.deepEqual(
        lines.filter((line) => line.startsWith('{"level":"ERROR"') && expectedErrors?.test(line) !== true),
        [],
      );
    },
    figures: async () => {
      const seen = {
        pods: await list<SeenPod>(PODS),
        nodes: await nodes(),
        nodeClaims: await list<NodeClaim>(NODE_CLAIMS),
      };
      return countFigures(seen, cloud.priceOf);
    },
    nodes,
    client,
    account: cloud.account,
    told,
    messages: async (reason) => {
      const events = await list<ApiObject & { readonly reason: string; readonly message: string }>(EVENTS);
      return [...new Set(events.filter((event) => event.reason === reason).map(({ message }) => message))].sort();
    },
    get commands() {
      return lines.flatMap((line) => /"command":"([^"/]+)\/[^:]+(: [^"]*)"/.exec(line)?.slice(1).join('') ?? []);
    },
    get mostDisrupted() {
      return mostDisrupted;
    },
    stop: async () => {
      ending.abort();
      await clock.runUntil(Promise.all([running, playing]));
      await clock.runUntil(cluster.stop());
      await cloud.stop();
    },
  };
}

const EVENTS: ResourceType = { group: '', version: 'v1', plural: 'events', kind: 'Event', namespaced: true };
