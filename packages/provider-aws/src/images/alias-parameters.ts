import {
  type AmiAlias,
  type AmiFamily,
  AWS_LABELS,
  OS_LABEL,
  type RequirementSpec,
  WINDOWS_BUILD_LABEL,
  WINDOWS_BUILDS,
} from '@karpenter-ts/apis';
import type { SsmParameter } from './ssm-parameters.ts';

/** A parameter that an alias leads to, and the instances its image is for: one set of requirements for each kind. */
export interface AliasParameter extends SsmParameter {
  readonly uses: readonly (readonly RequirementSpec[])[];
}

/** Nobody can have this alias in this cluster. Asking again does not help. */
export class UnsupportedAliasError extends Error {
  override readonly name = 'UnsupportedAliasError';
}

/** The parameters by which AWS publishes the images of an alias (spec 08 §6.2). Throws UnsupportedAliasError. */
export function aliasParameters(alias: AmiAlias, kubernetesVersion: string): readonly AliasParameter[] {
  requireSupported(alias, kubernetesVersion);
  const mutable = alias.version === LATEST || alias.family.startsWith('Windows');
  const images = IMAGES[alias.family](alias.version, kubernetesVersion);
  return images.map(({ path, uses }) => ({ name: `/aws/service/${path}/image_id`, from: 'alias', mutable, uses }));
}

interface PublishedImage {
  readonly path: string;
  readonly uses: readonly (readonly RequirementSpec[])[];
}

type ImagesOf = (version: string, kubernetes: string) => readonly PublishedImage[];

const LATEST = 'latest';

const { instanceAcceleratorCount, instanceGpuCount } = AWS_LABELS;
/** What instances without accelerators are like. */
export const STANDARD_VARIANT: readonly RequirementSpec[] = [
  { key: instanceAcceleratorCount, operator: 'DoesNotExist' },
  { key: instanceGpuCount, operator: 'DoesNotExist' },
];
const NVIDIA: readonly RequirementSpec[] = [{ key: instanceGpuCount, operator: 'Exists' }];
const NEURON: readonly RequirementSpec[] = [{ key: instanceAcceleratorCount, operator: 'Exists' }];

const al2: ImagesOf = (version, kubernetes) => {
  const path = (variant: string, name: string): string => {
    const release = version === LATEST ? 'recommended' : `${name}-${kubernetes}-${version}`;
    return `eks/optimized-ami/${kubernetes}/amazon-linux-2${variant}/${release}`;
  };
  return [
    { path: path('', 'amazon-eks-node'), uses: [STANDARD_VARIANT] },
    { path: path('-arm64', 'amazon-eks-arm64-node'), uses: [STANDARD_VARIANT] },
    { path: path('-gpu', 'amazon-eks-gpu-node'), uses: [NEURON, NVIDIA] },
  ];
};

const al2023: ImagesOf = (version, kubernetes) => {
  const image = (arch: string, variant: string, use: readonly RequirementSpec[]): PublishedImage => {
    const release =
      version === LATEST ? 'recommended' : `amazon-eks-node-al2023-${arch}-${variant}-${kubernetes}-${version}`;
    return { path: `eks/optimized-ami/${kubernetes}/amazon-linux-2023/${arch}/${variant}/${release}`, uses: [use] };
  };
  return [
    image('x86_64', 'standard', STANDARD_VARIANT),
    image('x86_64', 'nvidia', NVIDIA),
    image('x86_64', 'neuron', NEURON),
    image('arm64', 'standard', STANDARD_VARIANT),
    image('arm64', 'nvidia', NVIDIA),
  ];
};

const bottlerocket: ImagesOf = (version, kubernetes) => {
  const release = version.replace(/^v+/, ''); // v1.20.4 and 1.20.4 are one release
  const path = (variant: string): string => `bottlerocket/aws-k8s-${kubernetes}${variant}/${release}`;
  return [
    { path: path('/x86_64'), uses: [STANDARD_VARIANT, NEURON] },
    { path: path('/arm64'), uses: [STANDARD_VARIANT] },
    { path: path('-nvidia/x86_64'), uses: [NVIDIA] },
    { path: path('-nvidia/arm64'), uses: [NVIDIA] },
  ];
};

const windows =
  (year: keyof typeof WINDOWS_BUILDS): ImagesOf =>
  (_version, kubernetes) => [
    {
      path: `ami-windows-latest/Windows_Server-${year}-English-Core-EKS_Optimized-${kubernetes}`,
      uses: [
        [
          { key: OS_LABEL, operator: 'In', values: ['windows'] },
          { key: WINDOWS_BUILD_LABEL, operator: 'In', values: [WINDOWS_BUILDS[year]] },
        ],
      ],
    },
  ];

const IMAGES: Readonly<Record<AmiFamily, ImagesOf>> = {
  AL2: al2,
  AL2023: al2023,
  Bottlerocket: bottlerocket,
  Windows2019: windows(2019),
  Windows2022: windows(2022),
  Windows2025: windows(2025),
};

/** A minor version that is not a number is not judged, as upstream has it. */
function requireSupported({ family, version }: AmiAlias, kubernetesVersion: string): void {
  const minor = Number(/^\d+$/.exec(kubernetesVersion.split('.')[1] ?? '')?.[0]);
  if (family === 'AL2' && minor >= 33) {
    throw new UnsupportedAliasError(
      'AL2 aliases are no longer supported on EKS 1.33+ ' +
        '(see https://docs.aws.amazon.com/eks/latest/userguide/kubernetes-versions-standard.html#kubernetes-1-33)',
    );
  }
  if (family === 'Windows2025' && minor < 35) {
    throw new UnsupportedAliasError(
      `Windows Server 2025 requires EKS version 1.35 or higher, current version: ${kubernetesVersion}`,
    );
  }
  // Admission lets a second @ pass, and upstream's process ends there.
  if (version.includes('@')) throw new UnsupportedAliasError(`the version of an alias cannot contain '@': ${version}`);
}

/** The alias as messages name it. */
export function aliasText({ family, version }: AmiAlias): string {
  return `${family.toLowerCase()}@${version}`;
}
