import { EC2_CASES } from './cases/ec2.ts';
import { EKS_CASES } from './cases/eks.ts';
import { IAM_CASES } from './cases/iam.ts';
import { PRICING_CASES } from './cases/pricing.ts';
import { SQS_CASES } from './cases/sqs.ts';
import { SSM_CASES } from './cases/ssm.ts';
import { STS_CASES } from './cases/sts.ts';
import type { ContractCase } from './contract-case.ts';

/** What we rely on of AWS: a file of cases for each service. */
export const CONTRACT: readonly ContractCase[] = [
  ...EC2_CASES,
  ...EKS_CASES,
  ...IAM_CASES,
  ...PRICING_CASES,
  ...SQS_CASES,
  ...SSM_CASES,
  ...STS_CASES,
];
