// npm run test:anchors -- clusters: compares us with recorded results of upstream, and exits 1 if something differs that
// should not. ANCHORS_DIR names another folder with files of the same form.
import { CLUSTER_FOLDER } from './cluster-files.ts';
import { compareFolder } from './clusters.ts';

const [suite] = process.argv.slice(2);
if (suite === 'clusters') {
  const folder = process.env['ANCHORS_DIR'] || CLUSTER_FOLDER;
  const passed = await compareFolder(folder, (line) => process.stdout.write(`${line}\n`));
  process.exitCode = passed ? 0 : 1;
} else {
  process.stderr.write('usage: npm run test:anchors -- clusters\n');
  process.exitCode = 2;
}
