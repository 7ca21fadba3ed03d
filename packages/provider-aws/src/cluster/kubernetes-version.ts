import {
  type CancellableClient,
  ChangeMonitor,
  errorText,
  type Logger,
  type SteadyClock,
  StructuredError,
} from '@karpenter-ts/runtime';
import type { EksApi } from '../api/aws-apis.ts';

export interface KubernetesVersionDeps {
  /** Asks for the version, such as `1.34`. */
  readonly ask: (signal: AbortSignal) => Promise<string>;
  readonly clock: SteadyClock;
  readonly logger: Logger;
}

/** The minor versions of Kubernetes 1 that upstream supports. */
const OLDEST = 26;
const NEWEST = 36;

/** The version of Kubernetes of the cluster, which decides which images its aliases name. */
export class KubernetesVersion {
  readonly #deps: KubernetesVersionDeps;
  readonly #changes: ChangeMonitor;
  #version: string | undefined;

  constructor(deps: KubernetesVersionDeps) {
    this.#deps = deps;
    this.#changes = new ChangeMonitor(deps.clock);
  }

  /** As it was last found. Throws if it never was. */
  get version(): string {
    if (this.#version === undefined) throw new Error('the version of Kubernetes is not known yet');
    return this.#version;
  }

  /** Asks for it. If that fails, the last one stays. */
  async refresh(signal: AbortSignal): Promise<void> {
    try {
      this.#version = await this.#deps.ask(signal);
    } catch (cause) {
      throw new Error(`validating kubernetes version, ${errorText(cause)}`, { cause });
    }
  }

  /** Asks for it, and rejects once after each change to a version that is not supported. Nothing stops working then. */
  async refreshAndCheck(signal: AbortSignal): Promise<void> {
    await this.refresh(signal);
    const { version } = this;
    if (!this.#changes.hasChanged('kubernetes-version', version)) return;
    this.#deps.logger.debug('discovered kubernetes version', { version });
    if (isSupported(version)) return;
    throw new StructuredError('validating kubernetes version, karpenter is not compatible with kubernetes version', {
      version,
    });
  }
}

function isSupported(version: string): boolean {
  const [major, minor] = version.split('.').map((part) => Number.parseInt(part, 10));
  return major === 1 && minor! >= OLDEST && minor! <= NEWEST;
}

export type VersionQuestion = KubernetesVersionDeps['ask'];

/** Asks EKS, for clusters whose API server tells another version than that of the control plane. */
export function eksVersion(eks: EksApi, clusterName: string): VersionQuestion {
  return async (signal) => {
    const { cluster } = await eks.describeCluster({ name: clusterName }, signal);
    if (!cluster?.version) throw new Error('no version found in DescribeCluster response');
    return cluster.version;
  };
}

/** Asks the API server. EKS appends a plus sign to the minor version there. */
export function serverVersion(client: Pick<CancellableClient, 'read'>): VersionQuestion {
  return async (signal) => {
    try {
      const { major, minor } = await client.read<{ readonly major?: string; readonly minor?: string }>(
        '/version',
        {},
        signal,
      );
      if (!major || !minor) throw new Error('the answer names no version');
      return `${major}.${minor.replace(/\+$/, '')}`;
    } catch (cause) {
      throw new Error('getting kubernetes version from the kubernetes API', { cause });
    }
  };
}
