import type { AwsFault, AwsOperation } from '../faults/aws-fault.ts';
import type { Choice } from './world-plan.ts';

/** What is out of capacity: the instances of one type, of one zone, or as one kind; of all of them if none is named. */
export interface AwsPool {
  readonly instanceType?: string;
  readonly zone?: string;
  readonly lifecycle?: 'spot' | 'on-demand';
}

/** What becomes of messages on their way to the queue. */
export type MessageFault = 'lost' | 'repeated' | 'reordered';

/** What somebody changes of the NodeClass. */
export type NodeClassEdit =
  | 'tags'
  | 'user-data'
  | 'fewer-subnets'
  | 'no-subnets'
  | 'no-groups'
  | 'role'
  | 'missing-role';

/** One thing that happens in AWS, or is done about the NodeClass. */
export type AwsStep =
  | { readonly kind: 'fault'; readonly operation: AwsOperation; readonly fault: AwsFault; readonly times: number }
  | { readonly kind: 'no-capacity'; readonly pool: AwsPool; readonly duration: number }
  | { readonly kind: 'no-addresses'; readonly zone: string; readonly duration: number }
  /** Instances that are created meanwhile are not told of for so long at the most. */
  | { readonly kind: 'slow-to-show'; readonly most: number; readonly duration: number }
  /** The two minutes' warning, if the instance is a spot one. */
  | { readonly kind: 'interrupt'; readonly choice: Choice }
  /** The next spot instances are warned of when they are so old: while their launch is under way, or while they boot. */
  | { readonly kind: 'interrupt-launches'; readonly age: number; readonly times: number }
  | { readonly kind: 'rebalance' | 'retire' | 'impair'; readonly choice: Choice }
  /** The images before may be deprecated at once, so that nobody goes on with them. */
  | { readonly kind: 'release-images'; readonly deprecates: boolean }
  | { readonly kind: 'messages'; readonly fault: MessageFault; readonly duration: number }
  | { readonly kind: 'stray-message'; readonly body: string }
  | { readonly kind: 'edit-node-class'; readonly edit: NodeClassEdit; readonly duration: number }
  /** IAM refuses whatever is asked of it. */
  | { readonly kind: 'no-iam'; readonly duration: number };
