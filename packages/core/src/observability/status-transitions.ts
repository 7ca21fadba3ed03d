/** What is read of a condition, also of a Node's. */
export interface ObservedCondition {
  readonly type: string;
  readonly status: string;
  readonly reason?: string | undefined;
  readonly message?: string | undefined;
  readonly lastTransitionTime?: string | undefined;
}

/** A condition whose status is not what it was when it was last seen; `from` is undefined if it never was. */
export interface Transition {
  readonly from: ObservedCondition | undefined;
  readonly to: ObservedCondition;
}

/** Changes of reason or message alone are none, and neither is a condition that goes. */
export function findTransitions(
  before: readonly ObservedCondition[],
  after: readonly ObservedCondition[],
): readonly Transition[] {
  return after
    .map((to): Transition => ({ from: before.find(({ type }) => type === to.type), to }))
    .filter(({ from, to }) => from?.status !== to.status);
}

/** In upstream's words, which people match on. */
export function transitionText({ from, to }: Transition & { readonly from: ObservedCondition }): string {
  const { type, status, reason = '', message } = to;
  const text = `Status condition transitioned, Type: ${type}, Status: ${from.status} -> ${status}, Reason: ${reason}`;
  return message ? `${text}, Message: ${message}` : text;
}
