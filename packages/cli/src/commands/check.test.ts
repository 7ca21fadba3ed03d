import assert from 'node:assert/strict';
import { execFileSync, spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { main } from '../main.ts';
import { type RecordedIo, recordingIo } from '../testing-io.ts';

const ROOT = join(import.meta.dirname, '../../../..');
const folder = mkdtempSync(join(tmpdir(), 'karpenter-check-'));

function file(name: string, text: string): string {
  const path = join(folder, name);
  writeFileSync(path, text);
  return path;
}

async function check(args: readonly string[], input?: string): Promise<RecordedIo> {
  const io = recordingIo(input);
  await main(['check', ...args], io);
  return io;
}

async function checkJson(text: string, ...args: readonly string[]) {
  const io = await check(['-o', 'json', ...args, '-'], text);
  return JSON.parse(io.out()) as {
    apiVersion: string;
    objects: readonly {
      kind: string;
      name: string;
      valid: boolean;
      errors: readonly { message: string; line: number; hint?: string }[];
      hash?: string;
      hashVersion?: string;
    }[];
  };
}

const POOL = `apiVersion: karpenter.sh/v1
kind: NodePool
metadata:
  name: default
spec:
  template:
    spec:
      nodeClassRef: {group: karpenter.k8s.aws, kind: EC2NodeClass, name: default}
      requirements: []
`;

test('the samples are valid', async () => {
  const io = await check([join(ROOT, 'samples')]);
  assert.match(io.out(), /(\d+) checked, \1 valid, 0 invalid\n$/);
  assert.equal(io.exitCode, 0);
});

test('the example of the README is what the command prints', async () => {
  const readme = readFileSync(join(ROOT, 'README.md'), 'utf8');
  const [, manifest, output] = /```yaml\n([\s\S]*?)```[\s\S]*?```\n([\s\S]*?)```/.exec(readme)!;
  const io = await check([file('nodepool.yaml', manifest!)]);
  assert.equal(io.out().replaceAll(`${folder}/`, ''), output);
  assert.equal(io.exitCode, 1);
});

test('JSON carries the verdict and the drift hash', async () => {
  const report = await checkJson(POOL);
  assert.equal(report.apiVersion, 'karpenter-ts.dev/v1');
  const [{ errors, hash, hashVersion, kind, name, valid }] = report.objects as [(typeof report.objects)[0]];
  assert.deepEqual(
    { kind, name, valid, errors, hash, hashVersion },
    {
      kind: 'NodePool',
      name: 'default',
      valid: true,
      errors: [],
      hash: '6821555240594823858', // spec 01 §11.2
      hashVersion: 'v3',
    },
  );
});

test('the hash of an EC2NodeClass covers the CA bundle', async () => {
  const manifest = `{apiVersion: karpenter.k8s.aws/v1, kind: EC2NodeClass, metadata: {name: a}, spec: {role: r,
    amiSelectorTerms: [{alias: al2023@latest}], subnetSelectorTerms: [{id: subnet-1}], securityGroupSelectorTerms: [{id: sg-1}]}}`;
  const hashOf = async (...args: readonly string[]) => (await checkJson(manifest, ...args)).objects[0]!.hash;
  assert.notEqual(await hashOf(), await hashOf('--cluster-ca-bundle', 'abc'));
  assert.equal(await hashOf('--cluster-ca-bundle', 'abc'), await hashOf('--cluster-ca-bundle=abc'));
});

test('--provider decides whose label rules hold', async () => {
  const manifest = POOL.replace('requirements: []', 'requirements: [{key: karpenter.kwok.sh/x, operator: Exists}]');
  assert.equal((await check(['-'], manifest)).exitCode, 0);
  assert.equal((await check(['--provider', 'kwok', '-'], manifest)).exitCode, 1);
});

test('a file that is missing, binary, empty or no manifest is reported and the rest is still checked', async () => {
  const good = file('good.yaml', POOL);
  const binary = join(folder, 'binary.yaml');
  writeFileSync(binary, Buffer.from([0xff, 0xfe, 0x00]));
  const io = await check([join(folder, 'none.yaml'), binary, file('empty.yaml', ''), file('text.yaml', 'hello'), good]);
  for (const problem of [
    'none.yaml:1:1: error: no such file',
    'error: is not UTF-8 text',
    'error: holds no object',
    'error: is not an object',
  ]) {
    assert.ok(io.out().includes(problem), `${problem}\n${io.out()}`);
  }
  assert.match(io.out(), /5 checked, 1 valid, 4 invalid/);
  assert.equal(io.exitCode, 1);
});

/** A folder as kubelet mounts a ConfigMap: everything is a link through `..data`, which is exchanged as a whole. */
function mountedConfigMap(files: Readonly<Record<string, string>>): string {
  const mount = mkdtempSync(join(folder, 'mount-'));
  mkdirSync(join(mount, '..2026_01_01'));
  symlinkSync('..2026_01_01', join(mount, '..data'));
  for (const [name, text] of Object.entries(files)) {
    writeFileSync(join(mount, '..2026_01_01', name), text);
    symlinkSync(join('..data', name), join(mount, name));
  }
  return mount;
}

test('a mounted ConfigMap is checked file by file, each once', async () => {
  const mount = mountedConfigMap({ 'a.yaml': POOL, 'b.yaml': 'hello', 'c.txt': 'no manifest' });
  const io = await check([mount]);
  assert.match(io.out(), /\/a\.yaml:1: ok: NodePool "default"/);
  assert.match(io.out(), /\/b\.yaml:1:1: error: is not an object/);
  assert.match(io.out(), /2 checked, 1 valid, 1 invalid/);
  assert.equal(io.out().includes('..2026'), false);
});

test('a link that leads nowhere is an error, one to a folder is not followed', async () => {
  const linked = mkdtempSync(join(folder, 'links-'));
  symlinkSync('nowhere.yaml', join(linked, 'a.yaml'));
  symlinkSync('.', join(linked, 'round.yaml'));
  writeFileSync(join(linked, 'pool.yaml'), POOL);
  const io = await check([linked]);
  assert.match(io.out(), /a\.yaml:1:1: error: no such file/);
  assert.match(io.out(), /2 checked, 1 valid, 1 invalid/);
});

test('a folder without manifests is an error', async () => {
  const empty = mkdtempSync(join(folder, 'empty-'));
  writeFileSync(join(empty, 'notes.txt'), 'nothing');
  const io = await check([empty]);
  assert.equal(io.out(), `${empty}:1:1: error: holds no YAML or JSON file\n1 checked, 0 valid, 1 invalid\n`);
  assert.equal(io.exitCode, 1);
});

test('a pipe that is named is read up to the limit, one in a folder is not opened', async () => {
  const pipes = mkdtempSync(join(folder, 'pipes-'));
  const pipe = join(pipes, 'pipe.yaml');
  execFileSync('sh', ['-c', 'mkfifo "$0"', pipe]);
  assert.match((await check([pipes])).out(), /pipe\.yaml:1:1: error: is not a regular file/);
  const writer = spawn('sh', ['-c', 'printf "%s" "$0" > "$1"', POOL, pipe]);
  assert.match((await check([pipe])).out(), /ok: NodePool "default"/);
  writer.kill();
  assert.match((await check(['/dev/zero'])).out(), /is larger than 3 MiB/);
});

test('no name in a manifest, and no name of a file, can forge a line or steer a terminal', async () => {
  const name = 'x\\e[2J\\n::error::forged\\na.yaml:1: ok: NodePool \\"good\\"';
  const path = file('::warning::a\nb.yaml', POOL.replace('name: default', `name: "${name}"`));
  for (const output of ['text', 'json']) {
    const { out } = await check(['-o', output, path]).then((io) => ({ out: io.out() }));
    assert.equal(out.includes('\u001b'), false);
    assert.doesNotMatch(out, /^\s*::|^a\.yaml:1: ok/m);
  }
});

test('a file of 100 MB is refused without being read', async () => {
  const path = join(folder, 'large.yaml');
  writeFileSync(path, Buffer.alloc(100 * 1024 * 1024, 'a: b\n'));
  const begun = performance.now();
  const io = await check([path]);
  assert.match(io.out(), /is larger than 3 MiB/);
  assert.ok(performance.now() - begun < 1000);
});

test('wrong usage ends with 2 and says what to do', async () => {
  const none = await check([]);
  assert.deepEqual([none.exitCode, none.err().includes("missing required argument 'file'")], [2, true]);
  const wrong = await check(['-o', 'xml', 'a.yaml']);
  assert.deepEqual([wrong.exitCode, wrong.err().includes('Allowed choices are text, json')], [2, true]);
});

test('a misspelt command gets a suggestion, help and version exit with 0', async () => {
  const misspelt = recordingIo();
  await main(['chekc'], misspelt);
  assert.deepEqual([misspelt.exitCode, misspelt.err().includes('Did you mean check?')], [2, true]);
  const help = recordingIo();
  await main(['--help'], help);
  assert.deepEqual([help.exitCode, help.out().includes('check [options] [file...]')], [0, true]);
  const version = recordingIo();
  await main(['--version'], version);
  assert.deepEqual([version.exitCode, version.out()], [0, '0.1.0\n']);
});

const NODE_CLASS = `apiVersion: karpenter.k8s.aws/v1
kind: EC2NodeClass
metadata:
  name: default
spec:
  role: node
  amiSelectorTerms: [{alias: al2@latest}]
  subnetSelectorTerms: [{id: subnet-1}]
  securityGroupSelectorTerms: [{id: sg-1}]
  userData: |
    #!/bin/bash
    echo <cluster-name>
`;

test('NodeClasses are looked into as far as AWS is not needed, with the lines of their user data', async () => {
  const io = await check([file('nodeclass.yaml', NODE_CLASS), '--kubernetes-version', 'v1.33.2-eks-1234']);
  const [error, hint, doubt] = io.out().replaceAll(`${folder}/`, '').split('\n');
  assert.match(
    error!,
    /^nodeclass\.yaml:7:\d+: error: EC2NodeClass "default": spec\.amiSelectorTerms\[0\]\.alias: AL2 aliases/,
  );
  assert.equal(hint, '    hint: did you mean al2023@latest?');
  assert.match(
    doubt!,
    /^nodeclass\.yaml:12:1: warning: EC2NodeClass "default": spec\.userData: "<cluster-name>" looks like/,
  );
  assert.equal(io.exitCode, 1);
  const [object] = (await checkJson(NODE_CLASS, '--kubernetes-version', '1.33')).objects;
  assert.equal(object?.valid, false);
  assert.deepEqual([object?.errors[0]?.line, object?.errors[0]?.hint], [7, 'did you mean al2023@latest?']);
  assert.equal((await check([file('nodeclass.yaml', NODE_CLASS)])).exitCode, 0, 'without the version it is a warning');
  const wrong = await check([file('nodeclass.yaml', NODE_CLASS), '--kubernetes-version', 'newest']);
  assert.match(wrong.err(), /newest is no version of Kubernetes such as 1\.35/);
  assert.equal(wrong.exitCode, 2);
});

test('no SDK of AWS is loaded to look into a NodeClass', () => {
  const hooks =
    "import { registerHooks } from 'node:module'; registerHooks({ resolve(name, context, next) {" +
    " if (name.startsWith('@aws-sdk/')) throw new Error('loads ' + name); return next(name, context); } });";
  const bin = join(ROOT, 'packages/cli/bin/karpenter.js');
  const preload = `data:text/javascript,${encodeURIComponent(hooks)}`;
  const out = execFileSync(process.execPath, ['--import', preload, bin, 'check', file('nodeclass.yaml', NODE_CLASS)]);
  assert.match(String(out), /1 checked, 1 valid/);
});
