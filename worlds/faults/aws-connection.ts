import { ConnectionResetError, type SdkHandler, type SdkRequest } from '@karpenter-ts/aws-emulator';
import type { AwsCallInjector } from './aws-call-injector.ts';

/** A request to AWS, and what it asks for. */
export interface AwsCall {
  readonly operation: string;
  /** Of the services with the query protocol, by their name on the wire; the fields of the others as one text each. */
  readonly parameters: ReadonlyMap<string, string>;
}

/** Sees what one operator asks of AWS, and what it is told. */
export interface AwsCallChecker {
  /** Before AWS carries it out. */
  asking(call: AwsCall): Promise<void>;
  /** The operator has got this answer. */
  told(call: AwsCall, body: string): void;
  /** The operator has got none: whether AWS has carried it out is not known to it. */
  untold(call: AwsCall): void;
}

interface Deps {
  readonly aws: SdkHandler;
  readonly injector: AwsCallInjector;
  readonly checker: AwsCallChecker;
  /** Kills the operator of this connection; another one starts after so long. */
  readonly die: (where: string, downFor: number) => void;
  /** Aborted when the operator is dead. */
  readonly dead: AbortSignal;
}

/** The connection between one operator and AWS. Once the operator is dead, nothing of it reaches AWS any more. */
export function awsConnection({ aws, injector, checker, die, dead }: Deps): SdkHandler {
  const perish = (): void => {
    if (dead.aborted) throw new ConnectionResetError();
  };
  const forward: SdkHandler['handle'] = async (request, options) => {
    const call = awsCallOf(request);
    await checker.asking(call);
    perish();
    try {
      const answer = await aws.handle(request, options);
      if (!dead.aborted) checker.told(call, Buffer.from(answer.response.body).toString());
      return answer;
    } catch (error) {
      if (!dead.aborted) checker.untold(call);
      throw error;
    }
  };
  return {
    handle: async (request, options) => {
      perish();
      const { operation } = awsCallOf(request);
      const kill = injector.next(operation);
      if (kill?.when === 'before') die(`before ${operation}`, kill.downFor);
      perish();
      const answer = await forward(request, options);
      if (kill?.when === 'after') die(`after ${operation}`, kill.downFor);
      perish();
      return answer;
    },
  };
}

/** EC2 and IAM name the operation in the body, the JSON services in a header, EKS in the path. */
export function awsCallOf(request: SdkRequest): AwsCall {
  const { headers, method, path } = request;
  const target = headers['x-amz-target'] ?? headers['X-Amz-Target'];
  if (target !== undefined) {
    const fields = Object.entries(JSON.parse(bodyOf(request) || '{}') as Record<string, unknown>);
    const operation = target.slice(target.lastIndexOf('.') + 1);
    return { operation, parameters: new Map(fields.map(([name, value]) => [name, String(value)])) };
  }
  const parameters = new Map(new URLSearchParams(bodyOf(request)));
  return { operation: parameters.get('Action') ?? `${method} ${path}`, parameters };
}

/** The body of a request as text. */
export function bodyOf({ body }: SdkRequest): string {
  if (typeof body === 'string') return body;
  return body instanceof Uint8Array ? new TextDecoder().decode(body) : '';
}
