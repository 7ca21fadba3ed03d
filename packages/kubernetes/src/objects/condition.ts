/** One signal about the state of an object, as custom resources keep it (`metav1.Condition`). */
export interface Condition {
  /** What the condition is about, in CamelCase or as domain/CamelCase. */
  readonly type: string;
  readonly status: 'True' | 'False' | 'Unknown';
  /** When the status last changed. */
  readonly lastTransitionTime: string;
  /** A CamelCase word for programs that says why the status is what it is. */
  readonly reason?: string | undefined;
  /** Details for people; may be empty. */
  readonly message?: string | undefined;
  /** The generation of the object this condition was computed from. */
  readonly observedGeneration?: number | undefined;
}
