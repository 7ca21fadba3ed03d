import { type Controller, DONE, StatusError } from '@karpenter-ts/runtime';

/** Whether a creation was refused because its namespace is terminating. */
export function isNamespaceTerminating(error: unknown): boolean {
  return (
    error instanceof StatusError &&
    (error.status.details?.causes ?? []).some(({ reason }) => reason === 'NamespaceTerminating')
  );
}

/** Wraps a controller so that such a refusal counts as done: its object will be deleted too. */
export function sparingTerminatingNamespaces(controller: Controller): Controller {
  return {
    ...controller,
    reconcile: async (...pass) => {
      try {
        return await controller.reconcile(...pass);
      } catch (error) {
        if (isNamespaceTerminating(error)) return DONE;
        throw error;
      }
    },
  };
}
