/** What every Kubernetes object carries; the parts our code reads. */
export interface ObjectMeta {
  readonly name: string;
  readonly generateName?: string | undefined;
  readonly namespace?: string | undefined;
  readonly uid?: string | undefined;
  readonly resourceVersion?: string | undefined;
  readonly generation?: number | undefined;
  readonly creationTimestamp?: string | undefined;
  readonly deletionTimestamp?: string | undefined;
  readonly deletionGracePeriodSeconds?: number | undefined;
  readonly labels?: Readonly<Record<string, string>> | undefined;
  readonly annotations?: Readonly<Record<string, string>> | undefined;
  readonly finalizers?: readonly string[] | undefined;
  readonly ownerReferences?: readonly OwnerReference[] | undefined;
}

/** Labels or a selector of labels, by key. */
export type Labels = Readonly<Record<string, string>>;

export interface OwnerReference {
  readonly apiVersion: string;
  readonly kind: string;
  readonly name: string;
  readonly uid: string;
  readonly controller?: boolean | undefined;
  readonly blockOwnerDeletion?: boolean | undefined;
}

/** An object of a kind, as the API server hands it out. */
export type KubernetesObject<ApiVersion extends string, Kind extends string, Body> = {
  readonly apiVersion: ApiVersion;
  readonly kind: Kind;
  readonly metadata: ObjectMeta;
} & Body;
