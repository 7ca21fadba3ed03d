import { readFileSync } from 'node:fs';
import type { InstanceTypeInfo } from '@aws-sdk/client-ec2';

/** What is known of the network interfaces of a type. */
export interface NetworkLimits {
  readonly interfaces: number;
  readonly ipv4PerInterface: number;
  /** Whether pods can have branch interfaces, and how many there are. */
  readonly trunking: boolean;
  readonly branchInterfaces: number;
  readonly defaultCard: number;
  /** The most interfaces each network card takes, by the index of the card. */
  readonly cards: readonly number[];
}

type ByType<T> = Readonly<Record<string, T>>;
type ByRegion<T> = Readonly<Record<string, T>>;

/** 1,395 types as DescribeInstanceTypes describes them, 9 Mac types among them. */
export const instanceTypeFacts = lazily<ByType<InstanceTypeInfo>>('instance-types');

/** The zones that offer each type, in four regions. */
export const offeringFacts = lazily<ByRegion<ByType<readonly string[]>>>('offerings');

/** What a type costs an hour on demand: in us-east-1 and GovCloud in US dollars, in cn-north-1 in yuan. */
export const onDemandPriceFacts = lazily<ByRegion<ByType<number>>>('on-demand-prices');

/** What the VPC resource controller knows of the interfaces of 1,346 types. */
export const networkLimitFacts = lazily<ByType<NetworkLimits>>('network-limits');

/** Network bandwidth in Mbit/s, where EC2's documentation states a number. */
export const bandwidthFacts = lazily<ByType<number>>('bandwidth-megabits');

/** Reads the table when it is first asked for: not every process needs every table, and the largest takes 30 ms. */
function lazily<T>(table: string): () => T {
  let facts: T | undefined;
  return () => {
    facts ??= JSON.parse(readFileSync(new URL(`../data/${table}.json`, import.meta.url), 'utf8')) as T;
    return facts;
  };
}
