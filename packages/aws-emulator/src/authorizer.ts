import { evaluate, type PermissionRequest } from './policies/evaluate.ts';
import { PermissionUse } from './policies/permission-use.ts';
import { type PolicyStatement, readPolicy } from './policies/policy-document.ts';
import { ApiError } from './wire/api-error.ts';

/** What the callers may do. Until policies are enforced they may do everything. */
export interface Authorization {
  /** From now on requests are allowed by these documents alone. Throws a TypeError for one that is no policy. */
  enforce(documents: readonly unknown[]): void;
  /** What was asked for and refused, as `ec2:RunInstances on arn:…`, the last hundred of them. */
  denials(): readonly string[];
  /** What the documents allow and nothing has needed since they are enforced. */
  unused(): readonly string[];
}

const MOST_DENIALS = 100;

/** Decides about each request as IAM does by the identity-based policies of its caller. */
export class Authorizer implements Authorization {
  #statements: readonly PolicyStatement[] | undefined;
  #use = new PermissionUse();
  readonly #denials: string[] = [];

  enforce(documents: readonly unknown[]): void {
    const read = documents.map((document) => readPolicy(document));
    const problems = read.flatMap((one) => one.problems);
    if (problems.length > 0) throw new TypeError(problems.join('; '));
    this.#statements = read.flatMap(({ statements }) => statements);
    this.#use = new PermissionUse();
    this.#denials.length = 0;
  }

  denials(): readonly string[] {
    return [...this.#denials];
  }

  unused(): readonly string[] {
    return this.#use.unused(this.#statements ?? []);
  }

  get isEnforcing(): boolean {
    return this.#statements !== undefined;
  }

  /** Throws an ApiError, in the words of the service, for the first of the permissions that is missing. */
  check(service: string, caller: string, region: string, requests: readonly PermissionRequest[]): void {
    for (const request of requests) {
      const context = { 'aws:RequestedRegion': region, ...request.context };
      const verdict = evaluate(this.#statements ?? [], { ...request, context });
      if (verdict.kind !== 'allowed') {
        this.#note(`${request.action} on ${request.resource}`);
        throw refusal(service, caller, request, verdict.kind === 'denied-explicitly');
      }
      for (const grant of verdict.by) this.#use.add(grant);
    }
  }

  #note(denial: string): void {
    this.#denials.push(denial);
    if (this.#denials.length > MOST_DENIALS) this.#denials.shift();
  }
}

/** The services whose errors say `Exception`; those with status 403 speak REST. */
const STATUS_OF_EXCEPTIONS: Readonly<Record<string, number>> = {
  'arc-zonal-shift': 403,
  eks: 403,
  pricing: 400,
  sqs: 403,
  ssm: 400,
};

function refusal(
  service: string,
  caller: string,
  { action, resource }: PermissionRequest,
  isExplicit: boolean,
): ApiError {
  const why = isExplicit
    ? 'with an explicit deny in an identity-based policy'
    : `because no identity-based policy allows the ${action} action`;
  const what = `User: ${caller} is not authorized to perform: ${action} on resource: ${resource} ${why}`;
  if (service === 'ec2') {
    const encoded = 'Encoded authorization failure message: 4GIOHlTkIaWHQD0Q0m6XSnuUMCm';
    const message = `You are not authorized to perform this operation. ${what}. ${encoded}`;
    return new ApiError('UnauthorizedOperation', message, { status: 403 });
  }
  const status = STATUS_OF_EXCEPTIONS[service];
  if (status === undefined) return new ApiError('AccessDenied', what, { status: 403 });
  return new ApiError('AccessDeniedException', what, { status });
}
