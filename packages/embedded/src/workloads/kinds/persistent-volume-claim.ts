import type { ApiObject, LabelSelectorSpec } from '@karpenter-ts/kubernetes';

export { PERSISTENT_VOLUME_CLAIMS } from '@karpenter-ts/kubernetes';

export interface PersistentVolumeClaim extends ApiObject {
  readonly spec: {
    readonly volumeName?: string;
    readonly storageClassName?: string;
    readonly volumeMode?: string;
    readonly accessModes?: readonly string[];
    readonly selector?: LabelSelectorSpec;
    readonly resources?: { readonly requests?: { readonly storage?: string } };
  };
  readonly status?: {
    readonly phase?: string;
    readonly accessModes?: readonly string[];
    readonly capacity?: Readonly<Record<string, string>>;
  };
}
