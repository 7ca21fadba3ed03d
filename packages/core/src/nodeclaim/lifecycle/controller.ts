import { type NodeClaim, TERMINATION_FINALIZER } from '@karpenter-ts/apis';
import {
  combineErrors,
  type Controller,
  DONE,
  ExpiringMap,
  HOUR,
  kindSource,
  type Result,
  scaleBucket,
  scaleConcurrency,
  SECOND,
  soonest,
  type Source,
  unlessGone,
} from '@karpenter-ts/runtime';
import { NODE_CLAIMS } from '@karpenter-ts/apis';
import { nodeNamesOf } from '../../kinds/resource-slice.ts';
import { nodeClaimKeysOf } from '../../state/node-nodeclaim-links.ts';
import { isManagedNodeClaim } from '../../state/managed.ts';
import { OwnWrites } from '../../writes/own-writes.ts';
import { withProviderId } from '../nodeclaim-logger.ts';
import { finalize } from './finalization.ts';
import { initialize } from './initialization.ts';
import { launch } from './launch.ts';
import { checkLiveness } from './liveness.ts';
import { saveProgress } from './progress.ts';
import { register } from './registration.ts';
import type { Lifecycle, LifecycleDeps, Pass, Step } from './step.ts';

/**
 * The steps from a NodeClaim to an initialised Node. Every pass runs all of them, so one pass may take several steps.
 */
const STEPS: readonly Step[] = [launch, register, initialize, checkLiveness];

const LAUNCH_MEMORY = 1 * HOUR;
const MIN_CONCURRENCY = 1000;

/** Takes every NodeClaim from its creation to its deletion (spec 03 §§3, 7.2). */
export function lifecycleController(deps: LifecycleDeps): Controller {
  const { caches, clock, options } = deps;
  const life: Lifecycle = {
    ...deps,
    launches: new ExpiringMap(clock, LAUNCH_MEMORY),
    writtenNodeClaims: new OwnWrites(caches.nodeClaims),
    writtenNodes: new OwnWrites(caches.nodes),
  };
  const concurrency = scaleConcurrency(options.cpuRequests / 1000, { min: MIN_CONCURRENCY, max: 5000 });
  return {
    name: 'nodeclaim.lifecycle',
    kind: NODE_CLAIMS,
    concurrency,
    retries: {
      backOff: { base: 1 * SECOND, cap: 60 * SECOND },
      bucket: scaleBucket(concurrency, { minQps: 10, min: MIN_CONCURRENCY }),
    },
    sources: sourcesOf(deps),
    reconcile: async (name, signal, logger) => {
      const nodeClaim = life.writtenNodeClaims.get(name);
      if (nodeClaim === undefined || !isManagedNodeClaim(nodeClaim, deps.provider)) return DONE;
      const pass: Pass = { ...life, signal, logger: withProviderId(logger, nodeClaim) };
      return nodeClaim.metadata.deletionTimestamp === undefined ? advance(pass, nodeClaim) : finalize(pass, nodeClaim);
    },
  };
}

function sourcesOf(deps: LifecycleDeps): readonly Source[] {
  const { caches, provider } = deps;
  const sources = [
    kindSource(caches.nodeClaims, { when: ({ object }) => isManagedNodeClaim(object, provider) }),
    kindSource(caches.nodes, { keys: (node) => nodeClaimKeysOf(node, deps) }),
  ];
  if (caches.resourceSlices === undefined) return sources;
  const nodeClaimsOfSlice = (names: readonly string[]): readonly string[] =>
    names.flatMap((name) => {
      const node = caches.nodes.get(name);
      return node === undefined ? [] : nodeClaimKeysOf(node, deps);
    });
  return [...sources, kindSource(caches.resourceSlices, { keys: (slice) => nodeClaimsOfSlice(nodeNamesOf(slice)) })];
}

async function advance(life: Pass, nodeClaim: NodeClaim): Promise<Result> {
  const before = await ensureFinalizer(life, nodeClaim);
  if (before === undefined) return DONE;
  let after = before;
  const results: Result[] = [];
  const errors: unknown[] = [];
  for (const step of STEPS) {
    const { nodeClaim: next, result, error } = await step(life, after);
    after = next;
    results.push(result);
    if (error !== undefined) errors.push(error);
  }
  try {
    const exists = await saveProgress(life, { before, after });
    if (!exists) return DONE;
  } catch (error) {
    errors.push(error);
  }
  if (errors.length > 0) throw combineErrors(errors);
  return soonest(results);
}

/**
 * Adds the finalizer before the launch, so that the NodeClaim cannot vanish and leave its instance behind. Undefined if
 * the NodeClaim is gone.
 */
async function ensureFinalizer(life: Pass, nodeClaim: NodeClaim): Promise<NodeClaim | undefined> {
  const { name, resourceVersion, finalizers = [] } = nodeClaim.metadata;
  if (finalizers.includes(TERMINATION_FINALIZER)) return nodeClaim;
  const body = { metadata: { resourceVersion, finalizers: [...finalizers, TERMINATION_FINALIZER] } };
  const request = life.client.patch<NodeClaim>(NODE_CLAIMS, { name }, { type: 'merge', body }, {}, life.signal);
  const answer = await unlessGone(request);
  return answer && life.writtenNodeClaims.remember(answer);
}
