import assert from 'node:assert/strict';
import { CreateClusterCommand, type CreateClusterCommandInput, DescribeClusterCommand } from '@aws-sdk/client-eks';
import type { ContractCase, ContractContext } from '../contract-case.ts';

export const EKS_CASES: readonly ContractCase[] = [
  {
    name: 'an active cluster is told of with its endpoint, certificates, version and service addresses',
    services: ['eks'],
    run: async (aws) => {
      const name = aws.unique('cluster');
      const kubernetesNetworkConfig = { serviceIpv4Cidr: '10.200.0.0/16' };
      await aws.eks.send(new CreateClusterCommand(clusterOf(aws, { version: '1.34', kubernetesNetworkConfig })));
      const cluster = await aws.eventually('the cluster is active', async () => {
        const { cluster: found } = await aws.eks.send(new DescribeClusterCommand({ name }));
        return found?.status === 'ACTIVE' && found;
      });
      assert.equal(cluster.name, name);
      assert.equal(cluster.version, '1.34');
      assert.match(cluster.arn!, new RegExp(`^arn:aws:eks:us-east-1:\\d{12}:cluster/${name}$`));
      assert.match(cluster.endpoint!, /^https:\/\//);
      assert.ok(cluster.certificateAuthority!.data);
      assert.equal(cluster.kubernetesNetworkConfig!.serviceIpv4Cidr, '10.200.0.0/16');
      assert.ok(cluster.createdAt instanceof Date);
    },
  },
  {
    name: 'a cluster that is not there is not found',
    services: ['eks'],
    run: async ({ eks, unique }) => {
      await assert.rejects(eks.send(new DescribeClusterCommand({ name: unique('cluster') })), {
        name: 'ResourceNotFoundException',
        message: `No cluster found for name: ${unique('cluster')}.`,
        $fault: 'client',
      });
    },
  },
  {
    name: 'a second cluster of a name is refused',
    services: ['eks'],
    run: async (aws) => {
      await aws.eks.send(new CreateClusterCommand(clusterOf(aws)));
      await assert.rejects(aws.eks.send(new CreateClusterCommand(clusterOf(aws))), { name: 'ResourceInUseException' });
    },
  },
];

function clusterOf(
  { unique }: ContractContext,
  more: Partial<CreateClusterCommandInput> = {},
): CreateClusterCommandInput {
  const roleArn = `arn:aws:iam::111122223333:role/${unique('cluster')}`;
  return { name: unique('cluster'), roleArn, resourcesVpcConfig: { subnetIds: ['subnet-1', 'subnet-2'] }, ...more };
}
