/** A release of the images for the nodes of one Kubernetes version. */
export interface NodeImageRelease {
  /** Such as `1.34`. */
  readonly kubernetes: string;
  /** Of the EKS-optimized images, the day: `v20260101` unless given. */
  readonly version?: string;
  /** `1.50.0` unless given. */
  readonly bottlerocket?: string;
}

/** An image as EC2 is to have it, and the parameters that name it. */
export interface NodeImage {
  readonly name: string;
  readonly architecture: 'x86_64' | 'arm64';
  readonly platform: 'linux' | 'windows';
  readonly parameters: readonly string[];
}

export interface PublishedImage {
  readonly id: string;
  readonly name: string;
  readonly parameters: readonly string[];
}

/** The images that AWS publishes for a version, with the parameters of spec 08 §6.2. */
export function nodeImages({
  kubernetes,
  version = 'v20260101',
  bottlerocket = '1.50.0',
}: NodeImageRelease): readonly NodeImage[] {
  const minor = Number(kubernetes.split('.')[1]);
  return [
    ...(minor < 33 ? al2Images(kubernetes, version) : []),
    ...al2023Images(kubernetes, version),
    ...bottlerocketImages(kubernetes, bottlerocket),
    ...windowsImages(kubernetes, version, minor >= 35 ? ['2019', '2022', '2025'] : ['2019', '2022']),
  ];
}

function al2Images(kubernetes: string, version: string): readonly NodeImage[] {
  return (['', '-arm64', '-gpu'] as const).map((suffix) => {
    const name = `amazon-eks${suffix}-node-${kubernetes}-${version}`;
    const base = `/aws/service/eks/optimized-ami/${kubernetes}/amazon-linux-2${suffix}`;
    return linuxImage(name, suffix === '-arm64' ? 'arm64' : 'x86_64', [
      `${base}/recommended/image_id`,
      `${base}/${name}/image_id`,
    ]);
  });
}

const AL2023 = [
  ['x86_64', 'standard'],
  ['x86_64', 'nvidia'],
  ['x86_64', 'neuron'],
  ['arm64', 'standard'],
  ['arm64', 'nvidia'],
] as const;

function al2023Images(kubernetes: string, version: string): readonly NodeImage[] {
  return AL2023.map(([architecture, variant]) => {
    const name = `amazon-eks-node-al2023-${architecture}-${variant}-${kubernetes}-${version}`;
    const base = `/aws/service/eks/optimized-ami/${kubernetes}/amazon-linux-2023/${architecture}/${variant}`;
    return linuxImage(name, architecture, [`${base}/recommended/image_id`, `${base}/${name}/image_id`]);
  });
}

function bottlerocketImages(kubernetes: string, version: string): readonly NodeImage[] {
  return ['', '-nvidia'].flatMap((suffix) =>
    (['x86_64', 'arm64'] as const).map((architecture) => {
      const variant = `aws-k8s-${kubernetes}${suffix}`;
      const base = `/aws/service/bottlerocket/${variant}/${architecture}`;
      return linuxImage(`bottlerocket-${variant}-${architecture}-v${version}`, architecture, [
        `${base}/latest/image_id`,
        `${base}/${version}/image_id`,
      ]);
    }),
  );
}

function windowsImages(kubernetes: string, version: string, years: readonly string[]): readonly NodeImage[] {
  return years.map((year) => {
    const name = `Windows_Server-${year}-English-Core-EKS_Optimized-${kubernetes}`;
    return {
      name: `${name}-${version.slice(1)}`,
      architecture: 'x86_64',
      platform: 'windows',
      parameters: [`/aws/service/ami-windows-latest/${name}/image_id`],
    };
  });
}

function linuxImage(name: string, architecture: NodeImage['architecture'], parameters: readonly string[]): NodeImage {
  return { name, architecture, platform: 'linux', parameters };
}
