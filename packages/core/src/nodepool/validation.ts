import { type ConditionChange } from '@karpenter-ts/kubernetes';
import {
  findConditionMessage,
  NODE_POOL_CONDITIONS,
  NODE_POOLS,
  type NodePool,
  normalizeLabelKey,
  type ProviderProfile,
  splitKnownValues,
  validateNodePool,
} from '@karpenter-ts/apis';
import { type Controller, DONE, kindSource, type Logger, patchStatus } from '@karpenter-ts/runtime';
import { withCondition } from '../writes/conditions.ts';
import type { ControllerDeps } from '../state/controller-deps.ts';
import { isManagedNodePool } from '../state/managed.ts';

/** Keeps the condition `ValidationSucceeded` of NodePools: rules that the API server cannot check (spec 03 §11.3). */
export function validationController({ caches, client, clock, provider }: ControllerDeps): Controller {
  return {
    name: 'nodepool.validation',
    kind: NODE_POOLS,
    concurrency: 10,
    sources: [kindSource(caches.nodePools, { when: ({ object }) => isManagedNodePool(object, provider) })],
    reconcile: async (name, signal, logger) => {
      const nodePool = caches.nodePools.get(name);
      if (nodePool === undefined || !isManagedNodePool(nodePool, provider)) return DONE;
      const problem = findConditionMessage(validateNodePool(nodePool, provider.profile));
      if (problem === undefined) logUnknownValues(nodePool, provider.profile, logger);
      const after = withCondition(nodePool, NODE_POOL_CONDITIONS, verdict(problem), clock.now());
      await patchStatus(client, NODE_POOLS, nodePool, after, signal);
      return DONE;
    },
  };
}

function verdict(problem: string | undefined): ConditionChange<'ValidationSucceeded'> {
  const type = 'ValidationSucceeded';
  if (problem === undefined) return { type, status: 'True' };
  return { type, status: 'False', reason: 'NodePoolValidationFailed', message: problem };
}

/** Unknown values are tolerated beside known ones, but they are logged. */
function logUnknownValues({ spec }: NodePool, profile: ProviderProfile, logger: Logger): void {
  for (const written of spec.template.spec.requirements) {
    const requirement = { ...written, key: normalizeLabelKey(written.key, profile) };
    const split = splitKnownValues(requirement, profile);
    if (split === undefined || split.invalid.length === 0) continue;
    const message = 'please correct found invalid values, proceeding with valid values';
    logger.error(message, new Error('invalid values found for key'), {
      key: requirement.key,
      'valid-values': split.valid,
      'invalid-values': split.invalid,
    });
  }
}
