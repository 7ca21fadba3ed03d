import { podName, renderFailure } from '@karpenter-ts/scheduling';
import type { SimulationError } from './simulator.ts';

const MOST_ERRORS = 5;

/**
 * In upstream's words (spec 04 §7). Each error ends in a blank, and once there are five the others are counted, also if
 * there are none.
 */
export function renderSimulationErrors(errors: readonly SimulationError[]): string {
  const printed = errors.slice(0, MOST_ERRORS).map((error) => `${podName(error.pod)} => ${renderError(error)} `);
  const others = errors.length < MOST_ERRORS ? '' : ` and ${errors.length - MOST_ERRORS} other(s)`;
  return `not all pods would schedule, ${printed.join('')}${others}`;
}

function renderError(error: SimulationError): string {
  switch (error.kind) {
    case 'Unschedulable':
      return renderFailure(error.failure);
    case 'UninitializedNode': {
      const { nodeClaim, node } = error.stateNode;
      const parts = [nodeClaim && `nodeclaim/${nodeClaim.metadata.name}`, node && `node/${node.metadata.name}`];
      return `would schedule against uninitialized ${parts.filter((part) => part !== undefined).join(', ')}`;
    }
    default:
      return error satisfies never;
  }
}

/** As an event begins: with a capital. */
export function asSentence(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
