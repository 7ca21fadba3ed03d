import { IAM_CASES } from './cases/iam.ts';
import { SQS_CASES } from './cases/sqs.ts';
import { STS_CASES } from './cases/sts.ts';
import type { ContractCase } from './contract-case.ts';

/** What we rely on of AWS: a file of cases for each service. */
export const CONTRACT: readonly ContractCase[] = [...IAM_CASES, ...SQS_CASES, ...STS_CASES];
