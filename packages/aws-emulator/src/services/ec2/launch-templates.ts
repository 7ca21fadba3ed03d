import type { RequestLaunchTemplateData } from '@aws-sdk/client-ec2';
import type { Tags } from './tags.ts';

/** A launch template; they have one version, as no call here makes another. */
export interface LaunchTemplate {
  readonly id: string;
  readonly serial: number;
  readonly name: string;
  readonly createdAt: number;
  readonly createdBy: string;
  readonly description: string | undefined;
  readonly data: RequestLaunchTemplateData;
  readonly tags: Tags;
}
