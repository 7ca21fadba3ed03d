import { suite } from 'node:test';
import { testConformance } from '@karpenter-ts/cloudprovider/testing';
import { awsSubject } from './testing/aws-subject.ts';

suite('the AWS provider conforms', () => {
  testConformance('aws', awsSubject);
});
