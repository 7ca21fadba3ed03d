import type { Clock } from '@karpenter-ts/runtime';
import type { Ec2Api } from '../api/aws-apis.ts';
import { describeImages } from './amis.ts';
import { isDeprecated } from './select-images.ts';
import type { SsmParameters } from './ssm-parameters.ts';

export interface WithdrawnImagesDeps {
  readonly parameters: SsmParameters;
  readonly ec2: Pick<Ec2Api, 'describeImages'>;
  readonly clock: Clock;
}

/**
 * Makes parameters be read again whose images AWS has withdrawn: deprecated, or not there any more. AWS then gives them
 * another image, which would otherwise be noticed a day later (spec 08 §7). Parameters of a fixed release stay.
 */
export async function invalidateWithdrawnImages(
  { parameters, ec2, clock }: WithdrawnImagesDeps,
  signal: AbortSignal,
): Promise<void> {
  const values = parameters.mutableValues();
  if (values.size === 0) return;
  const ids = [...new Set(values.values())];
  const images = await describeImages(ec2, { owners: [], filters: [{ Name: 'image-id', Values: ids }] }, signal);
  const usable = new Set(images.filter((image) => !isDeprecated(image, clock.now())).map(({ ImageId }) => ImageId));
  for (const [name, id] of values) if (!usable.has(id)) parameters.invalidate(name);
}
