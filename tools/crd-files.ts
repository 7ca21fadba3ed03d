import { customResourceDefinition, RESOURCES } from '@karpenter-ts/apis';
import { toYaml } from '@karpenter-ts/apis/manifests';

/** CRD manifests by path, one folder per flavour, named as upstream names its files. */
export function crdFiles(): readonly (readonly [path: string, text: string])[] {
  return Object.entries(RESOURCES).flatMap(([flavour, resources]) =>
    resources.map((resource) => {
      const path = `packages/apis/crds/${flavour}/${resource.group}_${resource.plural}.yaml`;
      return [path, toYaml(customResourceDefinition(resource))] as const;
    }),
  );
}
