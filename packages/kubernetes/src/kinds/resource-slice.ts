import type { ApiObject } from '../objects/resource-type.ts';

/** A resource.k8s.io/v1 ResourceSlice: part of what a driver offers on a node. */
export interface ResourceSlice extends ApiObject {
  readonly spec: {
    readonly driver: string;
    readonly nodeName?: string | undefined;
    readonly pool: {
      readonly name: string;
      readonly generation: number;
      /** How many slices of this generation make the pool whole. */
      readonly resourceSliceCount: number;
    };
  };
}
