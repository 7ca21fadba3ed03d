// Instances of EC2. What is not here is private.
export type { AwsApis } from './api/aws-apis.ts';
export { awsModule, configureAws } from './module.ts';
