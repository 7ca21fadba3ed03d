import { defineGauge } from './definition.ts';
import type { Metrics } from './registry.ts';

const buildInfo = defineGauge(
  'karpenter_build_info',
  ['version', 'goversion', 'goarch', 'commit'],
  'Always 1, labelled with what this program was built from and runs on.',
);

/** Go's architecture names, which queries select by, where they differ from Node's. */
const GO_ARCHITECTURES: Readonly<Record<string, string>> = { x64: 'amd64', ia32: '386' };

/** Publishes the build information metric. The version of Node takes the place of upstream's Go version. */
export function publishBuildInfo(metrics: Metrics, build: { readonly version: string; readonly commit: string }): void {
  const goarch = GO_ARCHITECTURES[process.arch] ?? process.arch;
  metrics.set(buildInfo, { ...build, goversion: `node${process.versions.node}`, goarch }, 1);
}
