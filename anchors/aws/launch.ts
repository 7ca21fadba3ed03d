// One NodeClaim launched: the requests that are sent to EC2, and the NodeClaim that is returned.
import { parse } from 'smol-toml';
import type { Comparer } from './comparison.ts';
import { launchOutcome, inputEnvironment, readLaunch, requestsOf } from './launch-comparison.ts';

export const comparer: Comparer = {
  lines: 60,

  async answer(input) {
    const line = readLaunch(input);
    const environment = await inputEnvironment(line);
    const outcome = await launchOutcome(environment, line);
    return { ...requestsOf(environment.fleets), ...outcome };
  },

  /** Templates are compared by what they are, wherever a request names one; how many there are counts, too. */
  normalize(value) {
    const { createLaunchTemplate, createFleet, launchTemplateNames, ...outcome } = value as Want;
    const bodies = (createLaunchTemplate ?? []).map(templateBody);
    const byName = new Map<string, unknown>();
    for (const [index, name] of (launchTemplateNames ?? []).entries()) {
      byName.set(name, bodies[index]);
      byName.set(`lt-${index}`, bodies[index]);
    }
    return {
      ...outcome,
      templates: sorted(bodies),
      fleets: (createFleet ?? []).map((fleet) => fleetBody(fleet, byName)),
      prefixes: (launchTemplateNames ?? []).map((name) => /^karpenter\.k8s\.aws\/[0-9]+$/.test(name)),
    };
  },
};

type Body = Readonly<Record<string, unknown>>;

interface Want {
  readonly createLaunchTemplate?: readonly Body[] | null;
  readonly createFleet?: readonly Body[] | null;
  readonly launchTemplateNames?: readonly string[] | null;
}

function templateBody({ LaunchTemplateName: _name, ...body }: Body): unknown {
  const plain = withoutEmpty(withSortedTags(body)) as Body;
  const { UserData, ...data } = (plain['LaunchTemplateData'] ?? {}) as Body;
  return { ...plain, LaunchTemplateData: { ...data, userData: readUserData(UserData as string | undefined) } };
}

/** Settings of Bottlerocket are compared as what they say, everything else byte by byte. */
function readUserData(base64: string | undefined): unknown {
  if (base64 === undefined) return undefined;
  const bytes = Buffer.from(base64, 'base64');
  if (!bytes.toString().startsWith('[settings')) return bytes.toString('latin1');
  const settings = parse(bytes.toString(), { integersAsBigInt: true });
  return JSON.parse(JSON.stringify(settings, (_key, one) => (typeof one === 'bigint' ? { integer: `${one}` } : one)));
}

interface Config {
  readonly LaunchTemplateSpecification: { readonly LaunchTemplateName: string };
  readonly Overrides: readonly unknown[];
}

function fleetBody(fleet: Body, templates: ReadonlyMap<string, unknown>): unknown {
  const { LaunchTemplateConfigs, ...rest } = withoutEmpty(withSortedTags(fleet)) as Body;
  const configs = (LaunchTemplateConfigs ?? []) as readonly Config[];
  const byName = Map.groupBy(configs, ({ LaunchTemplateSpecification: { LaunchTemplateName: name } }) => name);
  const merged = [...byName].map(([name, ofName]) => {
    const [{ LaunchTemplateSpecification: specification }] = ofName as [Config];
    if (!templates.has(name)) throw new Error(`the request names ${name}, which was not created`);
    return {
      specification: { ...specification, LaunchTemplateName: undefined },
      template: templates.get(name),
      overrides: sorted(ofName.flatMap(({ Overrides }) => Overrides)),
    };
  });
  return { ...rest, configs: sorted(merged) };
}

/** In an order of their own: that of their texts. */
function sorted(values: readonly unknown[]): readonly unknown[] {
  return values.toSorted((a, b) => (textOf(a) < textOf(b) ? -1 : 1));
}

function textOf(value: unknown): string {
  return JSON.stringify(value, (_key, one: unknown) =>
    typeof one === 'object' && one !== null && !Array.isArray(one)
      ? Object.fromEntries(Object.entries(one).sort(([a], [b]) => (a < b ? -1 : 1)))
      : one,
  );
}

function withSortedTags(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value), (key, one: unknown) => (key === 'Tags' ? sorted(one as []) : one));
}

/** Without what says nothing, at every depth. An empty value of a tag says something. */
function withoutEmpty(value: unknown, key = ''): unknown {
  if (Array.isArray(value)) return value.map((one) => withoutEmpty(one)).filter((one) => !isEmpty(one));
  if (typeof value !== 'object' || value === null) return value;
  const members = Object.entries(value).map(([name, one]) => [name, withoutEmpty(one, name)] as const);
  return Object.fromEntries(members.filter(([name, one]) => !isEmpty(one) || (name === 'Value' && key === '')));
}

function isEmpty(value: unknown): boolean {
  if (value === undefined || value === null || value === '') return true;
  return typeof value === 'object' && Object.keys(value).length === 0;
}
