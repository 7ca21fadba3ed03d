// The images of one NodeClass: which parameters are read, which images are described, and what the status lists.
import type { EC2NodeClass, RequirementSpec } from '@karpenter-ts/apis';
import { Amis, AwsError, lifetimeOf, type ParameterSource, type SsmParameter } from '@karpenter-ts/provider-aws/parts';
import { canonicalJson, MINUTE, nullLogger, SECOND, VirtualClock } from '@karpenter-ts/runtime';
import type { Comparer } from './comparison.ts';

type DescribeImages = ConstructorParameters<typeof Amis>[0]['ec2']['describeImages'];
type DescribeImagesInput = Parameters<DescribeImages>[0];
type Image = NonNullable<Awaited<ReturnType<DescribeImages>>['Images']>[number];

interface Input {
  readonly kubernetesVersion: string;
  readonly amiSelectorTerms: readonly object[];
  readonly amiFamily?: string | null;
  readonly now: string;
  /** A rule by which parameters of aliases are missing, or the names of those that are. */
  readonly missingParameters?: string | readonly string[] | null;
  readonly ssmParameters?: Readonly<Record<string, string>> | null;
  readonly images?: readonly Image[] | null;
}

export const comparer: Comparer = {
  lines: 131,

  async answer(input) {
    const line = input as Input;
    const aws = new RecordedAws(line);
    const clock = new VirtualClock(Date.parse(line.now));
    const { signal: stopping } = new AbortController();
    const deps = { clock, logger: nullLogger, refreshInterval: 1 * MINUTE, stopping };
    const amis = new Amis({ ...deps, ec2: aws, parameters: aws, kubernetes: { version: line.kubernetesVersion } });
    try {
      const found = await amis.list(nodeClassOf(line), stopping);
      return { ssm: aws.asked, describeImages: aws.described, amis: found.map(amiOf) };
    } catch (error) {
      return { ssm: aws.asked, error: (error as Error).message.replace(/^getting AMI queries, /, '') };
    }
  },

  normalize(value) {
    const want = value as Want;
    return {
      ...want,
      ssm: [...want.ssm].sort(byText(({ name }) => name)),
      ...(want.describeImages && { describeImages: [...want.describeImages].sort(byText(canonicalJson)) }),
      ...(want.amis && { amis: sortEqualImages(want.amis) }),
    };
  },
};

interface Want {
  readonly ssm: readonly { readonly name: string }[];
  readonly describeImages?: readonly object[];
  readonly amis?: readonly WantedAmi[];
}

interface WantedAmi {
  readonly id: string;
}

/** AWS as a line describes it. It takes down what it is asked. */
class RecordedAws implements ParameterSource {
  readonly asked: object[] = [];
  readonly described: object[] = [];
  readonly #line: Input;
  readonly #published: Image[] = [];

  constructor(line: Input) {
    this.#line = line;
  }

  get(parameter: SsmParameter): Promise<string> {
    const { name, mutable } = parameter;
    this.asked.push({ name, mutable, cacheSeconds: lifetimeOf(parameter) / SECOND });
    const value = this.#isMissing(name) ? undefined : this.#valueOf(name);
    return value === undefined
      ? Promise.reject(new AwsError('ParameterNotFound', 'there is no such parameter'))
      : Promise.resolve(value);
  }

  readonly describeImages: DescribeImages = (input) => {
    this.described.push(requestOf(input));
    const images = [...(this.#line.images ?? []), ...this.#published];
    return Promise.resolve({ Images: images.filter((image) => passes(image, input)), $metadata: {} });
  };

  #isMissing(name: string): boolean {
    const { missingParameters = [] } = this.#line;
    if (Array.isArray(missingParameters)) return missingParameters.includes(name);
    if (missingParameters === 'noarm') return name.includes('arm64');
    if (missingParameters === 'nogpu') return name.includes('nvidia') || name.includes('gpu');
    return missingParameters === 'none';
  }

  #valueOf(name: string): string | undefined {
    if (typeof this.#line.missingParameters !== 'string') return this.#line.ssmParameters?.[name];
    const id = `ami-${fnv1a(name)}`;
    const Architecture = name.includes('arm64') ? 'arm64' : 'x86_64';
    const CreationDate = '2025-01-02T03:04:05Z';
    this.#published.push({ ImageId: id, Name: `n-${id}`, Architecture, CreationDate, State: 'available' });
    return id;
  }
}

function nodeClassOf({ amiSelectorTerms, amiFamily }: Input): EC2NodeClass {
  const spec = { amiSelectorTerms, ...(amiFamily && { amiFamily }) };
  return { metadata: { name: 'default', uid: 'uid', generation: 1 }, spec } as unknown as EC2NodeClass;
}

function amiOf({ id, name = '', deprecated = false, requirements }: Awaited<ReturnType<Amis['list']>>[number]): object {
  return {
    id,
    name,
    deprecated,
    requirements: Object.fromEntries(requirements.map((one) => [one.key, valuesOf(one)])),
  };
}

function valuesOf({ operator, values = [] }: RequirementSpec): unknown {
  if (operator === 'In') return values;
  return operator === 'DoesNotExist' ? null : { op: operator, values };
}

function requestOf({ Owners, Filters = [], IncludeDeprecated, MaxResults }: DescribeImagesInput): object {
  const filters = Filters.map(({ Name, Values = [] }) => ({ name: Name, values: [...Values].sort() }));
  return {
    owners: Owners ?? null,
    filters: filters.sort(byText(({ name = '', values }) => JSON.stringify([name, values]))),
    includeDeprecated: IncludeDeprecated,
    maxResults: MaxResults,
  };
}

function passes(image: Image, { Filters = [] }: DescribeImagesInput): boolean {
  const has = (key: string, values: readonly string[]): boolean => {
    const tags = image.Tags ?? [];
    if (key === 'state') return values.includes(image.State ?? '');
    if (key === 'image-id') return values.includes(image.ImageId ?? '');
    if (key === 'name') return values.includes(image.Name ?? '');
    if (key === 'tag-key') return tags.some(({ Key }) => values.includes(Key ?? ''));
    return tags.some(({ Key, Value }) => key === `tag:${Key}` && values.includes(Value ?? ''));
  };
  return Filters.every(({ Name = '', Values = [] }) => has(Name, Values));
}

/** The entries of one image stand in no particular order. */
function sortEqualImages(amis: readonly WantedAmi[]): readonly WantedAmi[] {
  return [...amis.entries()]
    .sort(([i, a], [j, b]) => (a.id === b.id ? byText(canonicalJson)(a, b) : i - j))
    .map(([, ami]) => ami);
}

function byText<T>(textOf: (value: T) => string): (a: T, b: T) => number {
  return (a, b) => (textOf(a) < textOf(b) ? -1 : Number(textOf(a) > textOf(b)));
}

function fnv1a(text: string): string {
  let hash = 0xcbf29ce484222325n;
  for (const byte of Buffer.from(text)) hash = BigInt.asUintN(64, (hash ^ BigInt(byte)) * 0x100000001b3n);
  return hash.toString(16).padStart(16, '0');
}
