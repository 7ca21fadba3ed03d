import { DISRUPTED_TAINT, EXCLUDE_FROM_LOAD_BALANCERS_LABEL, formatTaint, isSameTaint } from '@karpenter-ts/apis';
import { type CancellableClient, type Logger, StructuredError } from '@karpenter-ts/runtime';
import { NODES } from '@karpenter-ts/kubernetes';
import type { Node } from '../kinds/node.ts';

/**
 * Marks a node as leaving: no pod is to come any more, and load balancers are to look elsewhere. Resolves with the Node
 * as it then is; rejects with a conflict when somebody changed it meanwhile.
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
    // The same key with another effect would be a second opinion on one question.
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
