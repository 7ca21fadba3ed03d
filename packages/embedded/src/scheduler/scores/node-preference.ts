import { isTolerated } from '../model/toleration.ts';
import { BEST, partsOfLargest, type Score } from './score.ts';

/** NodeAffinity: prefers nodes that match more of the pod's preferred terms. */
export const preferredNodes: Score = {
  weight: 2,
  rate({ preferredNodes: terms }, nodes) {
    if (terms.length === 0) return undefined;
    const met = nodes.map((node) =>
      terms.reduce((sum, { matches, weight }) => (matches(node) ? sum + weight : sum), 0),
    );
    return partsOfLargest(met);
  },
};

/** TaintToleration: prefers nodes with fewer untolerated PreferNoSchedule taints. */
export const softTaints: Score = {
  weight: 3,
  rate({ tolerations }, nodes) {
    if (nodes.every((node) => node.softTaints.length === 0)) return undefined;
    const untolerated = nodes.map((node) => node.softTaints.filter((taint) => !isTolerated(taint, tolerations)).length);
    return partsOfLargest(untolerated)?.map((part) => BEST - part);
  },
};
