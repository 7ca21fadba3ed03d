import { CAPACITY_TYPE_LABEL } from '@karpenter-ts/apis';
import type { Scenario } from '@karpenter-ts/apis/manifests';
import type { Node } from '@karpenter-ts/kubernetes';
import type { Client } from '@karpenter-ts/runtime';
import type { AwsAccount } from '../aws/account.ts';
import { CLUSTER_NAME } from '../aws/names.ts';
import { listNodes, milliseconds } from './chosen-nodes.ts';

/** What AWS does, by itself or because somebody else asks for it. */
export type AwsAction = NonNullable<Scenario['spec']['steps'][number]['aws']>;

export interface ActionDeps {
  readonly client: Client;
  readonly account: AwsAccount;
  /** Does something so many milliseconds later, if the scenario is played that long. */
  after(delay: number, run: () => void): void;
  /** Told what has just been done, in a few words. */
  tell(text: string): void;
}

type Does<K extends keyof AwsAction> = (what: NonNullable<AwsAction[K]>, deps: ActionDeps) => void | Promise<void>;

/** Does what the action says. */
export async function performAction(action: AwsAction, deps: ActionDeps): Promise<void> {
  for (const name of Object.keys(ACTIONS) as (keyof AwsAction)[]) {
    const what = action[name];
    if (what !== undefined) await (ACTIONS[name] as Does<typeof name>)(what, deps);
  }
}

/** What AWS does not have that the action is about; undefined if it can be done. */
export function findActionProblem({ capacity, reserve }: AwsAction, account: AwsAccount): string | undefined {
  const { ec2, place } = account.emulator;
  const types = [...(capacity?.instanceTypes ?? []), ...(reserve ? [reserve.instanceType] : [])];
  const type = types.find((one) => ec2.findType(one) === undefined);
  if (type !== undefined) return `there is no instance type ${type} in ${place.region}`;
  const zone = capacity?.zone ?? reserve?.zone;
  if (zone === undefined || account.zones.includes(zone)) return undefined;
  return `the cluster has no zone ${zone}; there are ${account.zones.join(', ')}`;
}

const ACTIONS: { readonly [K in keyof Required<AwsAction>]: Does<K> } = {
  addRole: (role, { account, tell }) => {
    account.emulator.iam.addRole(role);
    tell(`role ${role} is added`);
  },
  capacity: setCapacity,
  interrupt: interruptNodes,
  kubernetesVersion: (version, { account, tell }) => {
    account.upgrade(version);
    tell(`cluster ${CLUSTER_NAME} is upgraded to Kubernetes ${version}`);
  },
  publishImages: ({ version, kubernetes }, { account, tell }) => {
    tell(`images ${version} for Kubernetes ${account.publishImages(version, kubernetes)} are released`);
  },
  removeRole: (role, { account, tell }) => {
    account.emulator.iam.removeRole(role);
    tell(`role ${role} is removed`);
  },
  reserve: addReservation,
};

function setCapacity(
  { capacityType, instanceTypes, zone, instances, for: duration }: NonNullable<AwsAction['capacity']>,
  { account, after, tell }: ActionDeps,
): void {
  const { ec2 } = account.emulator;
  const set = (most: number): void => {
    for (const instanceType of instanceTypes ?? [undefined]) {
      const type = instanceType === undefined ? {} : { instanceType };
      ec2.setCapacity({ ...type, ...(zone && { zone }), ...(capacityType && { lifecycle: capacityType }) }, most);
    }
  };
  const types = instanceTypes?.join(', ') ?? 'any type';
  const what = [types, capacityType, zone && `in ${zone}`].filter(Boolean).join(' ');
  set(instances);
  tell(`EC2 has ${instances === 0 ? 'none' : `no more than ${instances}`} left of ${what}`);
  if (duration === undefined) return;
  after(milliseconds(duration), () => {
    set(Number.POSITIVE_INFINITY);
    tell(`EC2 has ${what} again`);
  });
}

async function interruptNodes(
  { nodePool, nodes: count }: NonNullable<AwsAction['interrupt']>,
  { client, account, tell }: ActionDeps,
): Promise<void> {
  const { ec2 } = account.emulator;
  const isSpot = ({ metadata }: Node): boolean => metadata.labels?.[CAPACITY_TYPE_LABEL] === 'spot';
  const ids = (await listNodes({ nodePool }, client, isSpot)).slice(0, count).map(instanceIdOf);
  for (const id of ids) if (ec2.findInstance(id) !== undefined) ec2.interrupt(id);
  tell(`${ids.length} spot ${ids.length === 1 ? 'instance' : 'instances'} will be interrupted in two minutes`);
}

/** `aws:///us-east-1a/i-0123` names it last. */
function instanceIdOf({ spec }: Node): string {
  return spec?.providerID?.split('/').at(-1) ?? '';
}

function addReservation(
  { instanceType, zone, instances, tags = {}, for: duration }: NonNullable<AwsAction['reserve']>,
  { account, after, tell }: ActionDeps,
): void {
  const { ec2 } = account.emulator;
  const id = ec2.addCapacityReservation({ instanceType, zone, count: instances, tags });
  tell(`${instances} ${instanceType} in ${zone} are reserved: ${id}`);
  if (duration === undefined) return;
  after(milliseconds(duration), () => {
    ec2.cancelReservation(id);
    tell(`reservation ${id} is cancelled`);
  });
}
