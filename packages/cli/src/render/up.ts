import type { ClusterAccess } from '@karpenter-ts/embedded';
import type { AwsAccount } from '../aws/account.ts';
import { CLUSTER_NAME, QUEUE_NAME } from '../aws/names.ts';
import { printableLine } from './printable.ts';

/** What there is to say about a cluster that has just started. */
export interface Introduction {
  readonly access: ClusterAccess;
  readonly nodes: number;
  readonly hasController: boolean;
  /** Of AWS, if that is where nodes come from. */
  readonly account: AwsAccount | undefined;
  /** Name of the scenario that is played. */
  readonly scenario: string | undefined;
}

/** Where the cluster is, what happens there, and what to try first. */
export function renderIntroduction(introduction: Introduction): string {
  const { access, nodes, account, scenario } = introduction;
  return [
    `cluster is up: ${access.server}${nodes > 0 ? `, ${nodes} simulated nodes` : ''}`,
    ...(account === undefined ? [] : [accountLine(account)]),
    `${controllerLine(introduction)}${scenario === undefined ? '' : `; scenario: ${printableLine(scenario)}`}`,
    '',
    'In another terminal:',
    `  export KUBECONFIG='${access.kubeconfigPath.replaceAll("'", "'\\''")}'`,
    ...whatToTry(introduction).map((command) => `  ${command}`),
    ...(account?.emulator.endpoint === undefined ? [] : awsLines(account)),
    '',
    'Ctrl-C stops it; nothing is kept.',
    '',
  ].join('\n');
}

function accountLine({ emulator }: AwsAccount): string {
  const { endpoint, place } = emulator;
  const where = endpoint === undefined ? 'in this process' : `at ${endpoint}`;
  return `AWS is emulated ${where}: account ${place.account}, ${place.region}, EKS cluster ${CLUSTER_NAME}`;
}

function controllerLine({ hasController, account }: Introduction): string {
  if (hasController) return account === undefined ? CONTROLLER : AWS_CONTROLLER;
  return account === undefined ? NO_CONTROLLER : NO_AWS_CONTROLLER;
}

const CONTROLLER = "Karpenter runs in it, with simulated instances of EC2's types and prices";
const AWS_CONTROLLER = 'Karpenter runs in it, with the AWS provider, on instances that boot in seconds';
const NO_CONTROLLER = 'only the CRDs of Karpenter are installed: run karpenter controller --provider kwok against it';
const NO_AWS_CONTROLLER = 'only the CRDs of Karpenter are installed: run karpenter controller against it';

function whatToTry({ account, scenario }: Introduction): readonly string[] {
  if (account === undefined) return scenario === undefined ? TRY_EMPTY : TRY_SCENARIO;
  return scenario === undefined ? TRY_EMPTY_AWS : TRY_AWS_SCENARIO;
}

const CREATE_AND_WATCH = 'kubectl create deployment web --image=nginx --replicas=5 && kubectl get pods -o wide --watch';
const TRY_EMPTY = ['kubectl apply -f samples/kwok.yaml', CREATE_AND_WATCH];
const TRY_EMPTY_AWS = ['kubectl apply -f samples/ec2nodeclass.yaml -f samples/nodepool.yaml', CREATE_AND_WATCH];
const TRY_SCENARIO = ['kubectl get nodepools,nodeclaims,nodes', 'kubectl get pods -o wide --watch'];
const TRY_AWS_SCENARIO = [
  'kubectl get ec2nodeclasses,nodepools,nodeclaims,nodes',
  'kubectl describe ec2nodeclass default',
  'kubectl get pods -o wide --watch',
];

/** What AWS' command line, or another controller, has to be told. */
function awsLines({ env }: AwsAccount): readonly string[] {
  const settings = Object.entries(env).map(([name, value]) => `${name}=${value}`);
  return [
    '',
    'For the aws command line:',
    `  export ${settings.join(' ')}`,
    '  aws ec2 describe-instances',
    // Of SQS alone, some versions do not read the address from the environment.
    `  aws sqs get-queue-url --queue-name ${QUEUE_NAME} --endpoint-url $AWS_ENDPOINT_URL`,
  ];
}
