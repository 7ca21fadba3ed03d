import { DISRUPTED_TAINT, EXCLUDE_FROM_LOAD_BALANCERS_LABEL, formatTaint, isSameTaint } from '@karpenter-ts/apis';
import { type CancellableClient, type Logger, StructuredError } from '@karpenter-ts/runtime';
import { type Node, NODES } from '@karpenter-ts/kubernetes';

/**
 * Taints a node for disruption, so that no pods are scheduled to it, and excludes it from load balancers. Resolves with
 * the patched Node; rejects with a conflict if somebody changed it meanwhile.
 */
export async function taintForDisruption(
  client: CancellableClient,
  node: Node,
  signal: AbortSignal,
  logger: Logger,
): Promise<Node> {
  const { name, labels, resourceVersion } = node.metadata;
  const taints = node.spec?.taints ?? [];
  const isTainted = taints.some((taint) => isSameTaint(taint, DISRUPTED_TAINT));
  if (isTainted && labels?.[EXCLUDE_FROM_LOAD_BALANCERS_LABEL] === 'karpenter') return node;
  const body = {
    metadata: { resourceVersion, labels: { [EXCLUDE_FROM_LOAD_BALANCERS_LABEL]: 'karpenter' } },
    // A taint with the same key and another effect is replaced.
    ...(!isTainted && {
      spec: { taints: [...taints.filter(({ key }) => key !== DISRUPTED_TAINT.key), DISRUPTED_TAINT] },
    }),
  };
  let left: Node;
  try {
    left = await client.patch<Node>(NODES, { name }, { type: 'merge', body }, {}, signal);
  } catch (cause) {
    const taint = formatTaint(DISRUPTED_TAINT);
    throw new StructuredError(`tainting node, ${(cause as Error).message}`, { taint }, { cause });
  }
  const { key, effect } = DISRUPTED_TAINT;
  logger.info('tainted node', { 'taint.Key': key, 'taint.Value': '', 'taint.Effect': effect });
  return left;
}
