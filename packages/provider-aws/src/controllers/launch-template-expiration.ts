import { type Controller, MINUTE, singleton } from '@karpenter-ts/runtime';
import type { LaunchTemplates } from '../launch/launch-templates.ts';

const INTERVAL = 1 * MINUTE;

/**
 * Deletes launch templates that no launch uses any more, and takes over those of the leader before. Upstream does this
 * beside its controllers; as one of them it runs on the leader only, and shows in logs and metrics.
 */
export function launchTemplateExpiration({ templates }: { readonly templates: LaunchTemplates }): Controller {
  return singleton('launchtemplate.expiration', async (signal) => {
    await templates.sweep(signal);
    return { requeueAfter: INTERVAL };
  });
}
