import type { ContractCase } from '../contract-case.ts';
import { EC2_CATALOGUE_CASES } from './ec2-catalogue.ts';
import { EC2_LAUNCH_TEMPLATE_CASES } from './ec2-launch-templates.ts';
import { EC2_LAUNCH_CASES } from './ec2-launches.ts';
import { EC2_RESOURCE_CASES } from './ec2-resources.ts';

export const EC2_CASES: readonly ContractCase[] = [
  ...EC2_CATALOGUE_CASES,
  ...EC2_RESOURCE_CASES,
  ...EC2_LAUNCH_TEMPLATE_CASES,
  ...EC2_LAUNCH_CASES,
];
