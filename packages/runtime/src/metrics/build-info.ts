import { defineGauge } from './definition.ts';
import type { Metrics } from './registry.ts';

const buildInfo = defineGauge(
  'karpenter_build_info',
  ['version', 'goversion', 'goarch', 'commit'],
  'Always 1, labelled with what this program was built from and runs on.',
);

/** Go's names, which people select by, of the architectures it calls otherwise. */
const GO_ARCHITECTURES: Readonly<Record<string, string>> = { x64: 'amd64', ia32: '386' };

/** Shows the build on the metrics page. The runtime's version stands where upstream has Go's. */
export function publishBuildInfo(metrics: Metrics, build: { readonly version: string; readonly commit: string }): void {
  const goarch = GO_ARCHITECTURES[process.arch] ?? process.arch;
  metrics.set(buildInfo, { ...build, goversion: `node${process.versions.node}`, goarch }, 1);
}
