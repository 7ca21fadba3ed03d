import type { ObjectMeta } from '@karpenter-ts/kubernetes';

/** What the controllers read of a resource.k8s.io/v1 ResourceSlice: part of what a driver offers on a node. */
export interface ResourceSlice {
  readonly metadata: ObjectMeta;
  readonly spec: {
    readonly driver: string;
    readonly nodeName?: string | undefined;
    readonly pool: {
      readonly name: string;
      readonly generation: number;
      /** The number of slices that make the pool of this generation complete. */
      readonly resourceSliceCount: number;
    };
  };
}

/** Names of the Nodes a slice is local to, by its field or by an owner. A slice for the whole cluster has none. */
export function nodeNamesOf({ metadata, spec }: ResourceSlice): readonly string[] {
  const owners = (metadata.ownerReferences ?? []).filter(({ kind }) => kind === 'Node').map(({ name }) => name);
  return spec.nodeName ? [...new Set([spec.nodeName, ...owners])] : owners;
}
