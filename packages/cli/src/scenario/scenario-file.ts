import { existsSync, readdirSync } from 'node:fs';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { NodePool } from '@karpenter-ts/apis';
import { type FieldPath, type ReadObject, readObjects, type Scenario } from '@karpenter-ts/apis/manifests';
import type { ApiObject } from '@karpenter-ts/kubernetes';
import { CLUSTER_NAME, NODE_ROLE } from '../aws/names.ts';
import { type Io, MANIFEST_LIMIT, readFile } from '../io.ts';
import { renderText } from '../render/check.ts';
import type { ProviderName } from '../up/cloud.ts';

/** Those that come with us; they can be called by name. */
const SHIPPED = fileURLToPath(new URL('../../../../samples/scenarios', import.meta.url));
const EXTENSION = '.yaml';

/** What a file says shall happen. Everything in it is valid, as far as can be said without a cluster. */
export interface ScenarioFile {
  readonly name: string;
  /** Whose nodes it is about. */
  readonly provider: ProviderName;
  /** NodePools and whatever else goes with them, as an API server takes them. */
  readonly objects: readonly ApiObject[];
  readonly spec: Scenario['spec'];
  /** `file:line` of a field of the Scenario, for what the cluster or AWS finds wrong with it. */
  placeOf(field: FieldPath): string;
}

/**
 * Reads a scenario by its path, or one of ours by its name. Throws, in words for the user, all that is wrong with it,
 * also that it is for another provider than the one that is asked for.
 */
export async function loadScenario(pathOrName: string, io: Io, asked?: ProviderName): Promise<ScenarioFile> {
  const file = await readFile(io, findPath(pathOrName), MANIFEST_LIMIT);
  const provider = providerOf(readObjects(file));
  if (asked !== undefined && asked !== provider) {
    throw new Error(`${file.name} is a scenario for --provider ${provider}, and was asked for with ${asked}`);
  }
  const read = readObjects(file, { provider });
  const bad = read.map(({ checked }) => checked).filter(({ valid }) => !valid);
  if (bad.length > 0) throw new Error(`the scenario cannot be played:\n${renderText(bad).trimEnd()}`);
  const scenarios = read.filter(({ checked }) => checked.kind === 'Scenario');
  const pools = read.filter(({ checked }) => checked.kind === 'NodePool');
  const [scenario] = scenarios;
  if (scenario === undefined || scenarios.length > 1) {
    throw new Error(`${file.name} holds ${scenarios.length} objects of kind Scenario instead of one`);
  }
  if (pools.length === 0) throw new Error(`${file.name} holds no NodePool: there would never be a node`);
  const { spec } = scenario.object as unknown as Scenario;
  const objects = withNodeClass(objectsOf(read, scenario), provider);
  for (const { edit } of spec.steps) {
    const [kind, name] = edit?.nodePool === undefined ? ['EC2NodeClass', edit?.nodeClass] : ['NodePool', edit.nodePool];
    if (name === undefined || objects.some((one) => one.kind === kind && one.metadata.name === name)) continue;
    throw new Error(`${file.name} holds no ${kind} "${name}", and a step changes it`);
  }
  return {
    name: scenario.checked.name,
    provider,
    objects,
    spec,
    placeOf: (field) => `${file.name}:${scenario.locate?.(field).line ?? 1}`,
  };
}

/** It is about AWS as soon as anything in it is. */
function providerOf(read: readonly ReadObject[]): ProviderName {
  const isOfAws = ({ object }: ReadObject): boolean => {
    if (object?.['kind'] === 'EC2NodeClass') return true;
    if (object?.['kind'] === 'NodePool') return groupOf(object as unknown as NodePool) === AWS_GROUP;
    if (object?.['kind'] !== 'Scenario') return false;
    return (object as unknown as Scenario).spec.steps.some(({ aws, edit }) => aws ?? edit?.nodeClass);
  };
  return read.some(isOfAws) ? 'aws' : 'kwok';
}

const AWS_GROUP = 'karpenter.k8s.aws';

function groupOf({ spec }: NodePool): string {
  return spec.template.spec.nodeClassRef.group;
}

/** Objects that passed their schemas are of the types that come from those. */
function objectsOf(read: readonly ReadObject[], scenario: ReadObject): readonly ApiObject[] {
  return read.filter((one) => one !== scenario).map(({ object }) => object as unknown as ApiObject);
}

/** A file need not spell out the class that most pools use. */
function withNodeClass(objects: readonly ApiObject[], provider: ProviderName): readonly ApiObject[] {
  const usual = DEFAULT_NODE_CLASSES[provider];
  return objects.some(({ kind }) => kind === usual.kind) ? objects : [usual, ...objects];
}

const DISCOVERY = [{ tags: { 'karpenter.sh/discovery': CLUSTER_NAME } }];

const DEFAULT_NODE_CLASSES: Readonly<Record<ProviderName, ApiObject & { readonly spec?: object }>> = {
  kwok: { apiVersion: 'karpenter.kwok.sh/v1alpha1', kind: 'KWOKNodeClass', metadata: { name: 'default' } },
  aws: {
    apiVersion: 'karpenter.k8s.aws/v1',
    kind: 'EC2NodeClass',
    metadata: { name: 'default' },
    spec: {
      role: NODE_ROLE,
      amiSelectorTerms: [{ alias: 'al2023@latest' }],
      subnetSelectorTerms: DISCOVERY,
      securityGroupSelectorTerms: DISCOVERY,
    },
  },
};

function findPath(pathOrName: string): string {
  if (pathOrName === '-' || existsSync(pathOrName) || basename(pathOrName) !== pathOrName) return pathOrName;
  const shipped = join(SHIPPED, `${pathOrName}${EXTENSION}`);
  if (existsSync(shipped)) return shipped;
  const names = readdirSync(SHIPPED).map((name) => basename(name, EXTENSION));
  throw new Error(`there is no file ${pathOrName}, and no scenario of that name; there are ${names.join(', ')}`);
}
