// Manifests that users have must apply unchanged: upstream's examples from its module, a NodePool for each topic of its
// guides (guides/), and the manifests of guides for EKS (aws-guides/). What comes of them is tested by the other suites.
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { promisify } from 'node:util';
import { checkManifests } from '@karpenter-ts/apis/manifests';
import { guideNames, readGuide } from './aws-guides/guide.ts';
import { goEnvironment } from './lab/go-toolchain.ts';
import { type Lab, startLab } from './lab/lab.ts';
import { installCrds } from './operator/crds.ts';

const UPSTREAM = 'github.com/aws/karpenter-provider-aws@v1.14.1';
/** Upstream's own CRDs refuse this one of its examples: there is a version in a group. */
const MISTAKEN = 'windows-custom-userdata.yaml';
const WHY = `spec.template.spec.nodeClassRef.group in body should match '^[^/]*$'`;

describe('manifests', () => {
  let lab: Lab;

  before(async () => {
    lab = await startLab({ name: `guides-${process.pid}`, components: [] });
    await installCrds(lab, 'aws');
  });
  after(() => lab.stop());

  test("upstream's examples of pools and node classes apply, and check has nothing against them", async (t) => {
    const folder = join(await downloadModule(UPSTREAM), 'examples/v1');
    const paths = manifestsIn(folder).filter((path) => path !== join(folder, MISTAKEN));
    t.diagnostic(`${paths.length} files`);
    assert.ok(paths.length >= 20);
    for (const path of paths) await assertApplies(path);
  });

  test('the one that does not apply is refused by check, too', async () => {
    const path = join(await downloadModule(UPSTREAM), 'examples/v1', MISTAKEN);
    await assert.rejects(apply(path), (error: Error) => error.message.includes(WHY));
    assert.deepEqual(problemsOf(path), [`Invalid value: "karpenter.k8s.aws/v1": ${WHY}`]);
  });

  for (const path of manifestsIn(join(import.meta.dirname, 'guides'))) {
    test(`a pool applies that shows ${path.slice(path.lastIndexOf('/') + 1, -'.yaml'.length)}`, () =>
      assertApplies(path));
  }

  for (const name of guideNames()) {
    test(`the manifests for EKS apply that show ${name}`, () => assertApplies(readGuide(name).path));
  }

  async function assertApplies(path: string): Promise<void> {
    assert.deepEqual(problemsOf(path), []);
    await apply(path);
  }

  async function apply(path: string): Promise<void> {
    await lab.kubectl(['apply', '--validate=strict', '-f', path]);
  }
});

/** What `karpenter check` has against the kinds it knows. */
function problemsOf(path: string): readonly string[] {
  const checked = checkManifests([{ name: path, text: readFileSync(path, 'utf8') }]);
  const known = checked.filter(({ apiVersion }) => apiVersion.startsWith('karpenter.'));
  return known.flatMap(({ errors }) => errors.map(({ message }) => message));
}

function manifestsIn(folder: string): readonly string[] {
  return globSync('*.yaml', { cwd: folder })
    .sort()
    .map((path) => join(folder, path));
}

/** What Go's module proxy serves of a module, unpacked. */
async function downloadModule(module: string): Promise<string> {
  const { stdout } = await promisify(execFile)('go', ['mod', 'download', '-json', module], { env: goEnvironment() });
  return (JSON.parse(stdout) as { readonly Dir: string }).Dir;
}
