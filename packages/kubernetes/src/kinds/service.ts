import type { ApiObject } from '../objects/resource-type.ts';

/** A v1 Service. */
export interface Service extends ApiObject {
  readonly spec: {
    readonly selector?: Readonly<Record<string, string>> | undefined;
    /** An address, or `None`. */
    readonly clusterIP?: string | undefined;
  };
}
