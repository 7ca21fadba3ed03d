import { al2UserData } from './al2.ts';
import { al2023UserData } from './al2023.ts';
import { bottlerocketUserData } from './bottlerocket.ts';
import type { UserDataInput } from './user-data-input.ts';
import { windowsUserData } from './windows.ts';

/**
 * What an instance is told at its first boot, so that it joins the cluster: base64, as launch templates take it (spec 08
 * §16). Throws if the custom user data cannot be read, and NodeClassNotReadyError while the service CIDR that the family
 * needs is not known.
 */
export function renderUserData(input: UserDataInput): string {
  switch (input.family) {
    case 'AL2023':
      return al2023UserData(input);
    case 'Bottlerocket':
      return bottlerocketUserData(input);
    case 'Windows2019':
    case 'Windows2022':
    case 'Windows2025':
      return windowsUserData(input);
    case 'Custom':
      return Buffer.from(input.custom ?? '').toString('base64');
    default:
      return al2UserData(input); // AL2, and families that nobody knows
  }
}
