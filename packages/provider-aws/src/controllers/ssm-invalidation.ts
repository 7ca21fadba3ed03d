import { type Controller, MINUTE, singleton } from '@karpenter-ts/runtime';
import { invalidateWithdrawnImages, type WithdrawnImagesDeps } from '../images/withdrawn-images.ts';

const PERIOD = 30 * MINUTE;

/** Leaves images that AWS has withdrawn within half an hour: their parameters are otherwise read once a day. */
export function ssmInvalidationController(deps: WithdrawnImagesDeps): Controller {
  return singleton('providers.ssm.invalidation', async (signal) => {
    await invalidateWithdrawnImages(deps, signal);
    return { requeueAfter: PERIOD };
  });
}
