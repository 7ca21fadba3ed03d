import type { Metrics, SteadyClock } from '@karpenter-ts/runtime';
import type {
  FinalizeHandler,
  FinalizeHandlerArguments,
  FinalizeHandlerOutput,
  HandlerExecutionContext,
  HttpResponse,
  MiddlewareStack,
} from '@smithy/types';
import { MeasuredRequest } from './request-metrics.ts';
import { type ParsingTurns, slicedParsing } from './sliced-parsing.ts';

/** The part of a client of the SDK that middleware is added to. */
export interface Extensible {
  readonly middlewareStack: object;
}

/** Counts and times the requests of a client and their attempts. `service` is the service's name in the SDK. */
export function measure(
  client: Extensible,
  service: string,
  deps: { readonly metrics: Metrics; readonly clock: SteadyClock },
): void {
  const stack = client.middlewareStack as unknown as MiddlewareStack<object, object>;
  const measured = new WeakMap<HandlerExecutionContext, MeasuredRequest>();
  stack.add(
    (next, context) => async (args) => {
      const request = new MeasuredRequest(deps, { service, action: actionOf(context) });
      measured.set(context, request);
      try {
        return await next(args);
      } finally {
        request.finish();
      }
    },
    { step: 'initialize', name: 'karpenterRequestMetrics' },
  );
  stack.addRelativeTo(
    (next: FinalizeHandler<object, object>, context: HandlerExecutionContext) =>
      (args: FinalizeHandlerArguments<object>) => {
        const request = measured.get(context);
        return request === undefined ? next(args) : request.attempt(() => next(args), statusOf);
      },
    { relation: 'after', toMiddleware: 'retryMiddleware', name: 'karpenterAttemptMetrics' },
  );
}

/** Parses long answers of EC2 in slices, each in a turn of the event loop of its own. */
export function parseInSlices(client: Extensible, turns: ParsingTurns): void {
  const stack = client.middlewareStack as unknown as MiddlewareStack<object, object>;
  stack.add(slicedParsing.above(turns), { step: 'deserialize', priority: 'high', name: 'karpenterSlicesAbove' });
  stack.add(slicedParsing.below(turns), { step: 'deserialize', priority: 'low', name: 'karpenterSlicesBelow' });
}

/** Parses each long answer in a turn of the event loop of its own. */
export function parseInTurns(client: Extensible, turns: ParsingTurns): void {
  const stack = client.middlewareStack as unknown as MiddlewareStack<object, object>;
  stack.add(slicedParsing.inTurn(turns), { step: 'deserialize', priority: 'low', name: 'karpenterParsingTurn' });
}

function actionOf({ commandName = '' }: HandlerExecutionContext): string {
  return commandName.replace(/Command$/, '');
}

/** The HTTP status of an answer, or of the exception made of one. */
function statusOf(outcome: unknown): number | undefined {
  const { response, $metadata, $response } = outcome as Partial<FinalizeHandlerOutput<object>> & {
    readonly $metadata?: { readonly httpStatusCode?: number };
    readonly $response?: HttpResponse;
  };
  return (response as HttpResponse | undefined)?.statusCode ?? $metadata?.httpStatusCode ?? $response?.statusCode;
}
