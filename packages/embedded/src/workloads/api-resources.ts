import { type Client, SECOND, type SteadyClock } from '@karpenter-ts/runtime';
import type { ResourceType } from '@karpenter-ts/kubernetes';

/** A served kind with its subresources and verbs. */
export interface ApiResource {
  readonly type: ResourceType;
  readonly verbs: readonly string[];
  readonly subresources: readonly string[];
}

interface ResourceList {
  readonly groupVersion: string;
  readonly resources: readonly {
    readonly name: string;
    readonly kind: string;
    readonly namespaced: boolean;
    readonly verbs: readonly string[];
  }[];
}

interface GroupList {
  readonly groups: readonly {
    readonly name: string;
    readonly preferredVersion: { readonly groupVersion: string };
    readonly versions: readonly { readonly groupVersion: string }[];
  }[];
}

const MAX_AGE = 30 * SECOND; // as often as kube-controller-manager's garbage collector asks

/** The discovered resources, in the preferred version of each group. Refreshed after half a minute, or on demand. */
export class ApiResources {
  readonly #client: Client;
  readonly #clock: SteadyClock;
  #known: { readonly at: number; readonly resources: Promise<readonly ApiResource[]> } | undefined;

  constructor({ client, clock }: { readonly client: Client; readonly clock: SteadyClock }) {
    this.#client = client;
    this.#clock = clock;
  }

  async list(): Promise<readonly ApiResource[]> {
    const isOld = this.#known === undefined || this.#clock.elapsed() - this.#known.at > MAX_AGE;
    if (isOld) this.refresh();
    return (this.#known as { readonly resources: Promise<readonly ApiResource[]> }).resources;
  }

  /** Forces a refresh at the next question, because a kind may have been added or removed. */
  refresh(): void {
    const resources = this.#discover();
    const known = { at: this.#clock.elapsed(), resources };
    this.#known = known;
    resources.catch(() => {
      if (this.#known === known) this.#known = undefined; // a failure is not worth remembering
    });
  }

  /** Finds a kind by `apiVersion` and `kind`, as in owner references. Another version of its group is the same kind. */
  async find(apiVersion: string, kind: string): Promise<ApiResource | undefined> {
    const group = apiVersion.includes('/') ? apiVersion.slice(0, apiVersion.indexOf('/')) : '';
    return (await this.list()).find(({ type }) => type.group === group && type.kind === kind);
  }

  async #discover(): Promise<readonly ApiResource[]> {
    const { groups } = await this.#client.read<GroupList>('/apis');
    const lists = await Promise.all([
      this.#client.read<ResourceList>('/api/v1'),
      ...groups.map(({ preferredVersion }) =>
        this.#client.read<ResourceList>(`/apis/${preferredVersion.groupVersion}`),
      ),
    ]);
    return lists.flatMap(resourcesIn);
  }
}

function resourcesIn({ groupVersion, resources }: ResourceList): readonly ApiResource[] {
  const [group, version] = groupVersion.includes('/') ? groupVersion.split('/') : ['', groupVersion];
  return resources
    .filter(({ name }) => !name.includes('/'))
    .map(({ name, kind, namespaced, verbs }) => ({
      type: { group: group as string, version: version as string, plural: name, kind, namespaced },
      verbs,
      subresources: resources
        .filter((part) => part.name.startsWith(`${name}/`))
        .map((part) => part.name.slice(name.length + 1)),
    }));
}
