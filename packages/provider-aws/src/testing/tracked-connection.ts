import { realClock, type VirtualClock } from '@karpenter-ts/runtime';
import { createAwsApis } from '../clients/create-aws-apis.ts';
import { HttpHandler } from '../clients/http-handler.ts';
import type { ConnectAws } from '../start-provider.ts';

/**
 * Connections to an AWS over the network for code in virtual time: the clock waits for answers. What does not change, the
 * types and where they are offered, is asked for once, however many connections there are.
 */
export function trackedConnection(): (clock: VirtualClock) => ConnectAws {
  const answers = new Map<string, Promise<unknown>>();
  return (clock) => async (settings) => {
    const http = new HttpHandler({ clock: realClock, env: {} });
    const handler = {
      metadata: http.metadata,
      handle: (...asked: Parameters<HttpHandler['handle']>) => clock.track(http.handle(...asked)),
      destroy: () => http.destroy(),
    };
    const clients = await createAwsApis({ ...settings, handler });
    const { ec2 } = clients.apis;
    const once = <Input, Output>(name: string, ask: (input: Input, signal: AbortSignal) => Promise<Output>) => {
      return (input: Input, signal: AbortSignal): Promise<Output> => {
        const key = `${name} ${JSON.stringify(input)}`;
        if (!answers.has(key)) answers.set(key, ask(input, signal));
        return clock.track(answers.get(key) as Promise<Output>);
      };
    };
    const cached = {
      ...ec2,
      describeInstanceTypes: once('types', ec2.describeInstanceTypes),
      describeInstanceTypeOfferings: once('offerings', ec2.describeInstanceTypeOfferings),
    };
    return { ...clients, apis: { ...clients.apis, ec2: cached } };
  };
}
