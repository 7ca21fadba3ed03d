import type { Image } from '@aws-sdk/client-ec2';
import { ARCH_LABEL, type RequirementSpec } from '@karpenter-ts/apis';
import type { Instant } from '@karpenter-ts/runtime';
import type { StatusAmi } from '../node-class/node-class-parts.ts';
import type { ImageQuery } from './image-queries.ts';

/** Images that one listing found. */
export interface FoundImages {
  readonly query: ImageQuery;
  readonly images: readonly Image[];
}

/**
 * What the status lists: one image for each distinct set of requirements, newest first (spec 08 §6.3). An image that two
 * kinds of instances start from is listed twice.
 */
export function selectImages(found: readonly FoundImages[], now: Instant): readonly StatusAmi[] {
  const best = new Map<string, Candidate>();
  for (const candidate of found.flatMap((each) => candidatesOf(each, now))) {
    const present = best.get(candidate.suits);
    if (present === undefined || isBetter(candidate, present)) best.set(candidate.suits, candidate);
  }
  return [...best.values()].sort(byAge).map(({ ami }) => ami);
}

/** Whether the owner advises against the image, as of this second. */
export function isDeprecated({ DeprecationTime }: Image, now: Instant): boolean {
  return secondsOf(DeprecationTime, Infinity) <= Math.floor(now / 1000);
}

interface Candidate {
  readonly ami: StatusAmi;
  /** The requirements as text: equal for equal ones. */
  readonly suits: string;
  /** Seconds since the epoch; before all times if it is not known. */
  readonly created: number;
}

/** EC2's names of the architectures that nodes can have. Images of any other are left out. */
const ARCHITECTURES: ReadonlyMap<string, string> = new Map([
  ['x86_64', 'amd64'],
  ['arm64', 'arm64'],
]);

function candidatesOf({ query, images }: FoundImages, now: Instant): readonly Candidate[] {
  return images.flatMap((image) => {
    const arch = ARCHITECTURES.get(image.Architecture ?? '');
    if (arch === undefined || image.ImageId === undefined) return [];
    const uses = query.uses?.get(image.ImageId) ?? [[]];
    return uses.map((use) => candidate(image, [...use, { key: ARCH_LABEL, operator: 'In', values: [arch] }], now));
  });
}

function candidate(image: Image, asked: readonly RequirementSpec[], now: Instant): Candidate {
  const deprecated = isDeprecated(image, now);
  const requirements = [...asked].sort((a, b) => a.key.length - b.key.length || (a.key < b.key ? -1 : 1));
  return {
    ami: {
      id: image.ImageId!,
      ...(image.Name && { name: image.Name }),
      ...(deprecated && { deprecated }),
      requirements,
    },
    suits: JSON.stringify(requirements),
    created: secondsOf(image.CreationDate, -Infinity),
  };
}

/** A time that cannot be read counts as one that is not known. */
function secondsOf(time: string | undefined, otherwise: number): number {
  const milliseconds = Date.parse(time ?? '');
  return Number.isNaN(milliseconds) ? otherwise : Math.floor(milliseconds / 1000);
}

/** Not deprecated is better; then newer; then the greater name. Equal ones are not better. */
function isBetter(one: Candidate, other: Candidate): boolean {
  const [a, b] = [one.ami, other.ami];
  if (a.deprecated !== b.deprecated) return b.deprecated === true;
  if (one.created !== other.created) return one.created > other.created;
  return (a.name ?? '') > (b.name ?? '');
}

/** Newest first, then by id; the entries of one image by their requirements. */
function byAge(a: Candidate, b: Candidate): number {
  if (a.created !== b.created) return a.created > b.created ? -1 : 1;
  if (a.ami.id !== b.ami.id) return a.ami.id < b.ami.id ? -1 : 1;
  return a.suits < b.suits ? -1 : 1;
}
