import {
  AWS_PROFILE,
  findIncompatibilities,
  type RequirementSpec,
  type Requirements,
  toRequirements,
} from '@karpenter-ts/apis';
import type { StatusAmi } from '../node-class/node-class-parts.ts';

/** The image that an instance type with these requirements starts from: the first in the status that suits it. */
export function chooseImage(
  requirements: readonly RequirementSpec[],
  amis: readonly StatusAmi[],
): StatusAmi | undefined {
  return imageChooser(amis)(requirements);
}

/**
 * The same for many instance types: the requirements of the images are read once. The order of the status decides where
 * several images suit a type. A type that an image asks a label of must have that label (spec 08 §6.3).
 */
export function imageChooser(
  amis: readonly StatusAmi[],
): (requirements: readonly RequirementSpec[]) => StatusAmi | undefined {
  const choices = amis.map((ami) => ({ ami, asked: toRequirements(ami.requirements, AWS_PROFILE) }));
  const keys = new Set(choices.flatMap(({ asked }) => [...asked.keys()]));
  return (requirements) => {
    const offered = requirementsOn(keys, requirements);
    return choices.find(({ asked }) => findIncompatibilities(offered, asked).length === 0)?.ami;
  };
}

/** What a type says of these labels. It says a lot more, which no image asks for. */
function requirementsOn(keys: ReadonlySet<string>, requirements: readonly RequirementSpec[]): Requirements {
  const asked = requirements.filter(({ key }) => keys.has(key));
  return toRequirements(asked, AWS_PROFILE);
}
