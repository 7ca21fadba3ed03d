/** What is read of a condition; those of Nodes count too. */
export interface ObservedCondition {
  readonly type: string;
  readonly status: string;
  readonly reason?: string | undefined;
  readonly message?: string | undefined;
  readonly lastTransitionTime?: string | null | undefined;
}

/** A condition whose status has changed; `from` is undefined for a new condition. */
export interface Transition {
  readonly from: ObservedCondition | undefined;
  readonly to: ObservedCondition;
}

/** A change of reason or message alone is no transition, and neither is the removal of a condition. */
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
