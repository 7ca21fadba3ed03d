import type { NodeClaim } from '@karpenter-ts/apis';
import { LoggedRef, type Logger } from '@karpenter-ts/runtime';

/** Lines about a claim name its Node as soon as it has one. */
export function withNodeName(logger: Logger, { status }: NodeClaim): Logger {
  return status?.nodeName ? logger.with({ Node: new LoggedRef({ name: status.nodeName }) }) : logger;
}

/** … and its machine. */
export function withProviderId(logger: Logger, nodeClaim: NodeClaim): Logger {
  const providerId = nodeClaim.status?.providerID;
  return withNodeName(providerId ? logger.with({ 'provider-id': providerId }) : logger, nodeClaim);
}
