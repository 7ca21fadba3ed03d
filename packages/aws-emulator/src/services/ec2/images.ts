import type { Tags } from './tags.ts';

export interface Image {
  readonly id: string;
  readonly serial: number;
  readonly name: string;
  readonly description: string;
  readonly architecture: 'x86_64' | 'arm64';
  readonly platform: 'linux' | 'windows';
  readonly ownerId: string;
  /** `amazon` for those of AWS; undefined for those of an account. */
  readonly ownerAlias: string | undefined;
  readonly isPublic: boolean;
  readonly createdAt: number;
  readonly rootDevice: { readonly name: string; readonly sizeGib: number };
  readonly tags: Tags;
  /** Can be changed: an image can be withdrawn. */
  state: 'available' | 'pending' | 'deregistered' | 'disabled';
  deprecatedAt: number | undefined;
}
