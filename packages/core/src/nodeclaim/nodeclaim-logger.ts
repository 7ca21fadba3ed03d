import type { NodeClaim } from '@karpenter-ts/apis';
import { LoggedRef, type Logger } from '@karpenter-ts/runtime';

/** A logger that names the NodeClaim's Node, once it has one. */
export function withNodeName(logger: Logger, { status }: NodeClaim): Logger {
  return status?.nodeName ? logger.with({ Node: new LoggedRef({ name: status.nodeName }) }) : logger;
}

/** A logger that names the NodeClaim's provider id and Node, once it has them. */
export function withProviderId(logger: Logger, nodeClaim: NodeClaim): Logger {
  const providerId = nodeClaim.status?.providerID;
  return withNodeName(providerId ? logger.with({ 'provider-id': providerId }) : logger, nodeClaim);
}
