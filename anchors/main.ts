// npm run test:anchors -- clusters, or aws: compares us with recorded results of upstream, and exits 1 if something
// differs that should not. ANCHORS_DIR names another folder with files of the same form.
import { AWS_FOLDER, compareAnswers } from './aws.ts';
import { CLUSTER_FOLDER } from './cluster-files.ts';
import { compareFolder } from './clusters.ts';

const SUITES: ReadonlyMap<string | undefined, { readonly folder: string; readonly compare: typeof compareFolder }> =
  new Map([
    ['clusters', { folder: CLUSTER_FOLDER, compare: compareFolder }],
    ['aws', { folder: AWS_FOLDER, compare: compareAnswers }],
  ]);

const suite = SUITES.get(process.argv[2]);
if (suite === undefined) {
  process.stderr.write(`usage: npm run test:anchors -- ${[...SUITES.keys()].join('|')}\n`);
  process.exitCode = 2;
} else {
  const folder = process.env['ANCHORS_DIR'] || suite.folder;
  const passed = await suite.compare(folder, (line) => process.stdout.write(`${line}\n`));
  process.exitCode = passed ? 0 : 1;
}
