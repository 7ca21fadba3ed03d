import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { EC2NodeClass, NodePool } from '@karpenter-ts/apis';
import { NEVER } from '@karpenter-ts/runtime/testing';
import { STANDARD_VARIANT } from '../images/alias-parameters.ts';
import { nodeClass, typeEnvironment } from '../offerings/testing/type-environment.ts';
import { chooseProbe, probeTenancy } from './probe.ts';

const TYPE = 'node.kubernetes.io/instance-type';
const TENANCY = 'karpenter.k8s.aws/instance-tenancy';
const GPUS = 'karpenter.k8s.aws/instance-gpu-count';

const oneOf = (key: string, ...values: readonly string[]) => ({ key, operator: 'In' as const, values });
const arch = (value: string) => oneOf('kubernetes.io/arch', value);
const standard = (id: string, architecture: string) => ({
  id,
  requirements: [...STANDARD_VARIANT, arch(architecture)],
});
const nvidia = { id: 'ami-nvidia', requirements: [{ key: GPUS, operator: 'Exists' as const }, arch('amd64')] };
const AMIS = [nvidia, standard('ami-amd64', 'amd64'), standard('ami-arm64', 'arm64')];

function pool(requirements: readonly object[], labels: Readonly<Record<string, string>> = {}): NodePool {
  return { spec: { template: { metadata: { labels }, spec: { requirements } } } } as unknown as NodePool;
}

const TYPES = ['a1.large', 'c1.medium', 'c6g.large', 'g4dn.8xlarge', 'm5.large', 'm5.metal', 'm6g.large', 't3.small'];

async function probe({ of, pools = [], types = TYPES }: Partial<ProbeParts>): Promise<string | undefined> {
  const { source } = await typeEnvironment({ types });
  const made = of ?? nodeClass({ status: { amis: AMIS } });
  const compatible = await source.listCompatible(made, undefined, NEVER);
  return chooseProbe({ nodeClass: made, types: compatible, nodePools: pools })?.name;
}

interface ProbeParts {
  readonly of: EC2NodeClass;
  readonly pools: readonly NodePool[];
  readonly types: readonly string[];
}

describe('the type for the dry runs', () => {
  test('08/70 of a NodePool’s types, one with an image without drivers is used; a GPU type if there are no others', async () => {
    assert.equal(await probe({ pools: [pool([oneOf(TYPE, 'c6g.large', 'g4dn.8xlarge')])] }), 'c6g.large');
    const gpus = { pools: [pool([oneOf(TYPE, 'g4dn.8xlarge')])] };
    assert.equal(await probe(gpus), 'g4dn.8xlarge');
  });

  test('08/70 labels of the template count as requirements do, and one NodePool that admits a type is enough', async () => {
    assert.equal(await probe({ pools: [pool([], { [TYPE]: 't3.small' })] }), 't3.small');
    const elsewhere = pool([oneOf('topology.kubernetes.io/zone', 'eu-west-1a')]);
    assert.equal(await probe({ pools: [elsewhere, pool([oneOf(TYPE, 't3.small')])] }), 't3.small');
    assert.equal(await probe({ pools: [elsewhere] }), 'm5.large');
  });

  test('08/71 what the settings of the NodeClass exclude is not used', async () => {
    assert.equal(await probe({ pools: [pool([oneOf(TYPE, 'a1.large')])] }), 'm5.large', 'AL2023 does not run on a1');
    const al2 = nodeClass({ spec: { amiFamily: 'AL2', amiSelectorTerms: [{ id: 'ami-1' }] }, status: { amis: AMIS } });
    assert.equal(await probe({ of: al2, pools: [pool([oneOf(TYPE, 'a1.large')])] }), 'a1.large');
  });

  test('08/71 where neither default has room for the interfaces, another type has', async () => {
    const interfaces = [0, 1, 2, 3].map((deviceIndex) => ({
      networkCardIndex: 0,
      deviceIndex,
      interfaceType: 'interface' as const,
    }));
    const of = nodeClass({ spec: { networkInterfaces: interfaces }, status: { amis: AMIS } });
    assert.equal(await probe({ of, types: ['g4dn.8xlarge', 'm5.large', 'm5.xlarge', 'm6g.large'] }), 'm5.xlarge');
  });

  test('08/72 for Windows it is m5.large, or m6g.large if the image is for arm64, whatever NodePools ask', async () => {
    const windows = (architecture: string) => {
      const requirements = [
        oneOf('kubernetes.io/os', 'windows'),
        oneOf('node.kubernetes.io/windows-build', '10.0.20348'),
        arch(architecture),
      ];
      const spec = { amiSelectorTerms: [{ alias: 'windows2022@latest' }] };
      return nodeClass({ spec, status: { amis: [{ id: 'ami-windows', requirements }] } });
    };
    const pools = [pool([oneOf(TYPE, 't3.small')])];
    assert.equal(await probe({ of: windows('amd64'), pools }), 'm5.large');
    assert.equal(await probe({ of: windows('arm64'), pools }), 'm6g.large');
  });

  test('without NodePools it is a default that an image suits, else any type that one suits', async () => {
    assert.equal(await probe({}), 'm5.large');
    const arm64 = nodeClass({ status: { amis: [standard('ami-arm64', 'arm64')] } });
    assert.equal(await probe({ of: arm64 }), 'm6g.large');
    assert.equal(await probe({ of: arm64, types: ['c6g.large', 't3.small'] }), 'c6g.large');
  });

  test('types that refuse what nearly all others take come last', async () => {
    assert.equal(await probe({ types: ['c1.medium', 'm5.metal', 't3.small'] }), 't3.small');
    assert.equal(await probe({ types: ['c1.medium', 'm5.metal'] }), 'c1.medium');
  });

  test('a NodePool for amd64 with images for arm64 alone is asked about with another type; no image, no type', async () => {
    const of = nodeClass({ status: { amis: [standard('ami-arm64', 'arm64')] } });
    assert.equal(await probe({ of, pools: [pool([arch('amd64')])] }), 'm6g.large');
    assert.equal(await probe({ of, types: ['t3.small'] }), undefined);
  });
});

test('08/73 tenancy is dedicated if a NodePool admits it, else default', () => {
  assert.equal(probeTenancy([pool([oneOf(TENANCY, 'default', 'dedicated')])]), 'dedicated');
  assert.equal(probeTenancy([pool([]), pool([oneOf(TENANCY, 'dedicated')])]), 'dedicated');
  assert.equal(probeTenancy([pool([oneOf(TENANCY, 'default')])]), 'default');
  assert.equal(probeTenancy([pool([])]), 'default');
  assert.equal(probeTenancy([]), 'default');
});
