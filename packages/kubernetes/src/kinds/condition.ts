/** A condition of one of Kubernetes' own kinds. Kinds differ in which times they keep, and may leave out words. */
export interface ObjectCondition {
  readonly type: string;
  readonly status: string;
  readonly reason?: string | undefined;
  readonly message?: string | undefined;
  readonly lastTransitionTime?: string | null | undefined;
  readonly lastUpdateTime?: string | null | undefined;
  readonly lastProbeTime?: string | null | undefined;
  readonly lastHeartbeatTime?: string | undefined;
  readonly observedGeneration?: number | undefined;
}
