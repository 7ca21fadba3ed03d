// The images of a NodeClass: what is asked of SSM and EC2, and what the status lists.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { DescribeImagesCommandInput, Image } from '@aws-sdk/client-ec2';
import type { EC2NodeClass } from '@karpenter-ts/apis';
import { findCause, MINUTE, VirtualClock } from '@karpenter-ts/runtime';
import { NEVER, recordingLogger } from '@karpenter-ts/runtime/testing';
import { AwsError } from '../api/aws-error.ts';
import type { AmiSelectorTerm } from '../node-class/node-class-parts.ts';
import { UnsupportedAliasError } from './alias-parameters.ts';
import { Amis } from './amis.ts';
import { SsmParameters } from './ssm-parameters.ts';

const START = Date.parse('2026-01-02T03:04:05Z');

const image = (ImageId: string, parts: Partial<Image> = {}): Image => ({
  ImageId,
  Name: `name-of-${ImageId}`,
  Architecture: 'x86_64',
  CreationDate: '2025-01-02T03:04:05.000Z',
  State: 'available',
  ...parts,
});

interface Aws {
  readonly kubernetes?: string;
  /** By the parameter's name, or those for which it is a part of the name. An error is thrown. */
  readonly parameters?: (name: string) => string | Error | undefined;
  /** All images that EC2 has; each query gets those that pass its filters `state` and `image-id`. */
  readonly images?: readonly Image[];
}

function environment({ kubernetes = '1.32', parameters = () => undefined, images = [] }: Aws) {
  const clock = new VirtualClock(START);
  const logger = recordingLogger();
  const env = { clock, logger, images, described: [] as DescribeImagesCommandInput[], read: [] as string[] };
  const getParameter = async ({ Name = '' }: { Name: string | undefined }) => {
    env.read.push(Name);
    const Value = parameters(Name);
    if (Value instanceof Error) throw Value;
    if (Value === undefined) throw new AwsError('ParameterNotFound', 'none');
    return { Parameter: { Value }, $metadata: {} };
  };
  const describeImages = async (input: DescribeImagesCommandInput) => {
    env.described.push(input);
    return { Images: env.images.filter((one) => passes(one, input)), $metadata: {} };
  };
  const amis = new Amis({
    ec2: { describeImages },
    parameters: new SsmParameters({ ssm: { getParameter }, clock, logger, stopping: NEVER }),
    kubernetes: { version: kubernetes },
    clock,
    logger,
    refreshInterval: 1 * MINUTE,
    stopping: NEVER,
  });
  const list = (terms: readonly AmiSelectorTerm[], metadata: object = {}) =>
    amis.list(nodeClass(terms, metadata), NEVER);
  return Object.assign(env, { list });
}

function passes({ State, ImageId }: Image, { Filters = [] }: DescribeImagesCommandInput): boolean {
  return Filters.every(({ Name, Values = [] }) => {
    if (Name === 'state') return Values.includes(State!);
    return Name !== 'image-id' || Values.includes(ImageId!);
  });
}

function nodeClass(amiSelectorTerms: readonly AmiSelectorTerm[], metadata: object): EC2NodeClass {
  return {
    metadata: { name: 'default', uid: 'uid', generation: 1, ...metadata },
    spec: { amiSelectorTerms },
  } as unknown as EC2NodeClass;
}

/** Every parameter of an alias exists, and names an image of its own. */
function published(kubernetes: string, exists: (name: string) => boolean = () => true) {
  const images: Image[] = [];
  const parameters = (name: string) => {
    if (!exists(name)) return undefined;
    const id = `ami-${images.length}`;
    images.push(image(id, { Architecture: name.includes('arm64') ? 'arm64' : 'x86_64' }));
    return id;
  };
  return environment({ kubernetes, parameters, images });
}

const requirementsOf = (found: Awaited<ReturnType<Amis['list']>>) =>
  found.map(({ requirements }) =>
    requirements.map(({ key, operator, values = [] }) => [key, operator, ...values].join(' ')),
  );

const idsOf = (found: readonly { readonly id: string }[]) => found.map(({ id }) => id);

const AMD64 = 'kubernetes.io/arch In amd64';
const ARM64 = 'kubernetes.io/arch In arm64';
const GPU = 'karpenter.k8s.aws/instance-gpu-count Exists';
const ACCELERATOR = 'karpenter.k8s.aws/instance-accelerator-count Exists';
const STANDARD = [
  'karpenter.k8s.aws/instance-gpu-count DoesNotExist',
  'karpenter.k8s.aws/instance-accelerator-count DoesNotExist',
];

test('08/12 al2023@latest has five images', async () => {
  const env = published('1.33');
  assert.deepEqual(requirementsOf(await env.list([{ alias: 'al2023@latest' }])), [
    [AMD64, ...STANDARD],
    [AMD64, GPU],
    [AMD64, ACCELERATOR],
    [ARM64, ...STANDARD],
    [ARM64, GPU],
  ]);
});

test('08/13 the GPU image of al2 is listed twice, for both kinds of instances', async () => {
  const found = await published('1.32').list([{ alias: 'al2@latest' }]);
  assert.deepEqual(idsOf(found), ['ami-0', 'ami-1', 'ami-2', 'ami-2']);
  assert.deepEqual(requirementsOf(found), [
    [AMD64, ...STANDARD],
    [ARM64, ...STANDARD],
    [AMD64, ACCELERATOR],
    [AMD64, GPU],
  ]);
});

test('08/14 bottlerocket starts Neuron instances from its standard image', async () => {
  const found = await published('1.34').list([{ alias: 'bottlerocket@latest' }]);
  assert.deepEqual(idsOf(found), ['ami-0', 'ami-0', 'ami-1', 'ami-2', 'ami-3']);
  assert.deepEqual(requirementsOf(found).slice(0, 2), [
    [AMD64, ACCELERATOR],
    [AMD64, ...STANDARD],
  ]);
});

test('08/18 without images for nvidia bottlerocket has three entries', async () => {
  const env = published('1.34', (name) => !name.includes('nvidia'));
  assert.deepEqual(idsOf(await env.list([{ alias: 'bottlerocket@latest' }])), ['ami-0', 'ami-0', 'ami-1']);
});

for (const [year, build] of [
  ['2019', '10.0.17763'],
  ['2022', '10.0.20348'],
  ['2025', '10.0.26100'],
]) {
  test(`08/15 windows${year}@latest has one entry with its build`, async () => {
    assert.deepEqual(requirementsOf(await published('1.35').list([{ alias: `windows${year}@latest` }])), [
      ['kubernetes.io/os In windows', AMD64, `node.kubernetes.io/windows-build In ${build}`],
    ]);
  });
}

test('08/16 08/17 an alias that the cluster cannot have is an error of its own, also with images in the cache', async () => {
  await assert.rejects(published('1.33').list([{ alias: 'al2@latest' }]), (error: Error) => {
    assert.match(error.message, /^getting AMI queries, AL2 aliases are no longer supported on EKS 1\.33\+/);
    return findCause(error, UnsupportedAliasError) !== undefined;
  });
  await assert.rejects(published('1.34').list([{ alias: 'windows2025@latest' }]), {
    message: /requires EKS version 1\.35 or higher/,
  });
  await assert.rejects(published('1.34').list([{ alias: 'ubuntu@latest' }]), {
    message: 'getting AMI queries, the alias ubuntu@latest names no family that is known',
  });
});

test('08/19 an alias without any image is an error that names it', async () => {
  const env = environment({});
  await assert.rejects(env.list([{ alias: 'al2023@v20250101' }]), {
    message: 'getting AMI queries, failed to discover any AMIs for alias (alias=al2023@v20250101)',
  });
  assert.equal(env.described.length, 0);
});

test('a failing read of one parameter fails the alias, and takes no image out of the status', async () => {
  const parameters = (name: string) => (name.includes('nvidia') ? new AwsError('InternalServerError', 'no') : 'ami-0');
  await assert.rejects(environment({ parameters }).list([{ alias: 'al2023@latest' }]), {
    message: /^getting AMI queries, getting ssm parameter, api error InternalServerError: no \(parameter=.*nvidia/,
  });
});

test('08/21 08/132 a name alone is looked for among our own and Amazon images, an owner only in its account', async () => {
  const env = environment({});
  await env.list([
    { name: 'a' },
    { name: 'b', owner: '111122223333' },
    { name: 'c', owner: 'self' },
    { tags: { foo: '*', env: 'prod' } },
    { owner: 'self' },
    { id: 'ami-1', tags: { foo: 'bar' } },
    { id: 'ami-2' },
  ]);
  const state = { Name: 'state', Values: ['available'] };
  const call = (Filters: object[], ...Owners: string[]) => ({
    Filters: [...Filters, state],
    ...(Owners.length > 0 && { Owners }),
    IncludeDeprecated: true,
    MaxResults: 1000,
  });
  assert.deepEqual(env.described, [
    call([{ Name: 'name', Values: ['a'] }], 'self', 'amazon'),
    call([{ Name: 'name', Values: ['b'] }], '111122223333'),
    call([{ Name: 'name', Values: ['c'] }], 'self'),
    call([
      { Name: 'tag:env', Values: ['prod'] },
      { Name: 'tag-key', Values: ['foo'] },
    ]),
    call([], 'self'),
    call([{ Name: 'image-id', Values: ['ami-1', 'ami-2'] }]),
  ]);
});

test('08/133 a parameter by name or ARN gives the image it holds, and shares a query with ids', async () => {
  const arn = 'arn:aws:ssm:us-west-2:111122223333:parameter/x';
  const held = new Map([
    ['/own', 'ami-1'],
    [arn, 'ami-2'],
  ]);
  const images = [image('ami-1'), image('ami-2', { Architecture: 'arm64' })];
  const env = environment({ parameters: (name) => held.get(name), images });
  const found = await env.list([{ ssmParameter: '/own' }, { ssmParameter: arn }, { id: 'ami-3' }]);
  assert.deepEqual(idsOf(found), ['ami-1', 'ami-2']);
  assert.deepEqual(env.described[0]!.Filters![0], { Name: 'image-id', Values: ['ami-1', 'ami-2', 'ami-3'] });
});

test('08/22 a parameter that is missing or names no image is skipped, and any other failure is an error', async () => {
  const env = environment({ parameters: (name) => (name === '/foo' ? 'foo' : undefined) });
  assert.deepEqual(await env.list([{ ssmParameter: '/missing' }, { ssmParameter: '/foo' }]), []);
  assert.equal(env.described.length, 0);
  assert.deepEqual(
    env.logger.lines.filter(({ level }) => level === 'debug').map(({ message, fields }) => [message, fields['id']]),
    [
      ['parameter not found', undefined],
      ['parameter value is an invalid AMI ID', 'foo'],
    ],
  );
  const failing = environment({ parameters: () => new AwsError('AccessDeniedException', 'no') });
  await assert.rejects(failing.list([{ ssmParameter: '/own' }]), {
    message:
      'getting AMI queries, resolving ssm parameter, ' +
      'getting ssm parameter, api error AccessDeniedException: no (parameter=/own)',
  });
});

test('08/23 only available images count, and only of architectures that nodes can have', async () => {
  const env = environment({
    images: [
      image('ami-1', { State: 'pending' }),
      image('ami-2', { Architecture: 'i386' }),
      image('ami-3', { CreationDate: '2020-01-01T00:00:00Z' }),
      { State: 'available', Architecture: 'x86_64' },
    ],
  });
  assert.deepEqual(idsOf(await env.list([{ name: 'a' }])), ['ami-3']);
});

const PAST = '2025-12-01T00:00:00.000Z';

test('08/24 08/131 an image that is not deprecated is taken before one that is, whatever their ages', async () => {
  const older = image('ami-1', { CreationDate: '2024-01-01T00:00:00Z' });
  const chosen = async (...images: Image[]) => idsOf(await environment({ images }).list([{ name: 'a' }]));
  assert.deepEqual(await chosen(image('ami-2', { DeprecationTime: PAST }), older), ['ami-1']);
  const same = image('ami-3', { Name: older.Name!, CreationDate: older.CreationDate!, DeprecationTime: PAST });
  assert.deepEqual(await chosen(same, older), ['ami-1']);
  assert.deepEqual(await chosen(older, { ...same, Name: 'z' }), ['ami-1']);
});

test('08/25 of two deprecated images the newer is taken, and of equal dates the greater name', async () => {
  const deprecated = (id: string, parts: Partial<Image>) => image(id, { DeprecationTime: PAST, ...parts });
  const chosen = async (...images: Image[]) => environment({ images }).list([{ name: 'a' }]);
  const newest = await chosen(
    deprecated('ami-1', { CreationDate: '2025-01-02T03:04:05.900Z' }),
    deprecated('ami-2', { CreationDate: '2025-01-02T03:04:06Z' }),
  );
  assert.deepEqual(newest, [
    {
      id: 'ami-2',
      name: 'name-of-ami-2',
      deprecated: true,
      requirements: [{ key: 'kubernetes.io/arch', operator: 'In', values: ['amd64'] }],
    },
  ]);
  const equal = [deprecated('ami-1', { Name: 'b' }), deprecated('ami-2', { Name: 'a' })];
  assert.deepEqual(idsOf(await chosen(...equal)), ['ami-1']);
  assert.deepEqual(idsOf(await chosen(...equal.toReversed())), ['ami-1']);
  assert.deepEqual(idsOf(await chosen(deprecated('ami-5', { Name: 'a' }), deprecated('ami-4', { Name: 'a' }))), [
    'ami-5',
  ]);
});

test('08/26 08/131 that an image is deprecated is said once its time has passed and the answer is old, and no longer', async () => {
  const soon = new Date(START + 30_000).toISOString();
  const env = environment({ images: [image('ami-1', { DeprecationTime: soon })] });
  const deprecated = async () => (await env.list([{ name: 'a' }]))[0]!.deprecated;
  assert.equal(await deprecated(), undefined);
  await env.clock.advance(30_000);
  assert.equal(await deprecated(), undefined);
  await env.clock.advance(30_000);
  assert.equal(await deprecated(), true);
  env.images = [image('ami-1')];
  await env.clock.advance(1 * MINUTE);
  assert.equal(await deprecated(), undefined);
});

test('08/27 the newest image comes first, equal ones by id, and one without a date last', async () => {
  const archs = ['x86_64', 'arm64'] as const;
  const order = async (...dates: (string | undefined)[]) => {
    const images = dates.map((CreationDate, i) =>
      image(`ami-${9 - i}`, { Architecture: archs[i]!, ...(CreationDate === undefined ? {} : { CreationDate }) }),
    );
    if (dates.includes(undefined)) delete images[dates.indexOf(undefined)]!.CreationDate;
    return idsOf(await environment({ images }).list([{ name: 'a' }]));
  };
  assert.deepEqual(await order('2025-01-01T00:00:00Z', '2025-01-01T00:00:00.500Z'), ['ami-8', 'ami-9']);
  assert.deepEqual(await order('2025-01-01T00:00:00Z', '2025-01-01T00:00:01Z'), ['ami-8', 'ami-9']);
  assert.deepEqual(await order('2025-01-01T00:00:00Z', '2024-01-01T00:00:01Z'), ['ami-9', 'ami-8']);
  assert.deepEqual(await order(undefined, '2024-01-01T00:00:01Z'), ['ami-8', 'ami-9']);
  assert.deepEqual(await order('not a date', '2024-01-01T00:00:01Z'), ['ami-8', 'ami-9']);
});

test('08/28 tags of an image are no requirements', async () => {
  const Tags = [{ Key: 'kubernetes.io/os', Value: 'windows' }];
  const env = environment({ images: [image('ami-1', { Tags })] });
  assert.deepEqual(requirementsOf(await env.list([{ tags: { 'kubernetes.io/os': '*' } }])), [[AMD64]]);
});

test('08/8 08/128 an answer holds for the interval and for one generation of one class; questions at once share it', async () => {
  const env = environment({ images: [image('ami-1')] });
  const answers = await Promise.all(Array.from({ length: 10_000 }, () => env.list([{ id: 'ami-1' }])));
  assert.deepEqual(new Set(answers.map((one) => one[0]!.id)), new Set(['ami-1']));
  assert.equal(env.described.length, 1);
  await env.list([{ id: 'ami-1' }], { uid: 'other' });
  await env.list([{ id: 'ami-1' }], { generation: 2 });
  assert.equal(env.described.length, 3);
  await env.clock.advance(1 * MINUTE);
  await env.list([{ id: 'ami-1' }]);
  assert.equal(env.described.length, 4);
  assert.deepEqual(
    env.logger.lines.map(({ message, fields }) => [message, fields]),
    [['discovered amis', { ids: ['ami-1'] }]],
  );
});
