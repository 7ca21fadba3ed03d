import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { LabError } from './lab-error.ts';

/** One program of the lab, built from source that the Go module proxy serves. */
interface Component {
  /** The folder under `components/` whose go.mod and go.sum pin every module of the build. */
  readonly folder: string;
  /** The module that gives the component its version. */
  readonly module: string;
  readonly package: string;
  /** String variables the linker sets; without them a binary does not know its own version. */
  readonly linkVariables: (version: string) => Readonly<Record<string, string>>;
}

/** What the lab builds. `kubectl` and `helm` are tools, `karpenter-aws` is upstream's controller, the rest are services. */
export type ComponentName =
  | 'etcd'
  | 'kube-apiserver'
  | 'kube-controller-manager'
  | 'kube-scheduler'
  | 'kubectl'
  | 'kwok'
  | 'helm'
  | 'karpenter-aws';

/** How each component is built. */
export const COMPONENTS: Readonly<Record<ComponentName, Component>> = {
  etcd: {
    folder: 'etcd',
    module: 'go.etcd.io/etcd/server/v3',
    package: 'go.etcd.io/etcd/server/v3',
    linkVariables: () => ({}),
  },
  'kube-apiserver': kubernetes('kube-apiserver'),
  'kube-controller-manager': kubernetes('kube-controller-manager'),
  'kube-scheduler': kubernetes('kube-scheduler'),
  kubectl: kubernetes('kubectl'),
  kwok: {
    folder: 'kwok',
    module: 'sigs.k8s.io/kwok',
    package: 'sigs.k8s.io/kwok/cmd/kwok',
    linkVariables: () => ({}),
  },
  helm: {
    folder: 'helm',
    module: 'helm.sh/helm/v4',
    package: 'helm.sh/helm/v4/cmd/helm',
    linkVariables: (version) => ({ 'helm.sh/helm/v4/internal/version.version': version }),
  },
  'karpenter-aws': {
    folder: 'karpenter-aws',
    module: 'github.com/aws/karpenter-provider-aws',
    package: 'github.com/aws/karpenter-provider-aws/cmd/controller',
    linkVariables: (version) => ({ 'sigs.k8s.io/karpenter/pkg/operator.Version': version.slice(1) }),
  },
};

/** All components, in the order they are built. */
export const COMPONENT_NAMES = Object.keys(COMPONENTS) as readonly ComponentName[];

/** The named components; a name that is not one throws with the list of those that are. */
export function getComponentNames(names: readonly string[]): readonly ComponentName[] {
  const unknown = names.filter((name) => !Object.hasOwn(COMPONENTS, name));
  if (unknown.length === 0) return names as readonly ComponentName[];
  throw new LabError(`no such component: ${unknown.join(', ')}; there are ${COMPONENT_NAMES.join(', ')}`);
}

/** Where a component's go.mod is. */
export function moduleFolder(name: ComponentName): string {
  return join(import.meta.dirname, 'components', COMPONENTS[name].folder);
}

/** The version that go.mod pins ("v1.35.4"): the only place it is written. */
export function getVersion(name: ComponentName): string {
  const { module } = COMPONENTS[name];
  const goMod = readFileSync(join(moduleFolder(name), 'go.mod'), 'utf8');
  for (const line of goMod.split('\n')) {
    const [path, version] = line.replace('require', '').trim().split(/\s+/);
    if (path === module && version !== undefined) return version;
  }
  throw new Error(`${moduleFolder(name)}/go.mod does not require ${module}`);
}

function kubernetes(command: string): Component {
  return {
    folder: 'kubernetes',
    module: 'k8s.io/kubernetes',
    package: `k8s.io/kubernetes/cmd/${command}`,
    linkVariables: (version) => {
      const [major = '', minor = ''] = version.slice(1).split('.');
      return {
        'k8s.io/component-base/version.gitVersion': version,
        'k8s.io/component-base/version.gitMajor': major,
        'k8s.io/component-base/version.gitMinor': minor,
      };
    },
  };
}
