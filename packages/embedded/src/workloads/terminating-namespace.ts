import { type Controller, DONE, StatusError } from '@karpenter-ts/runtime';

/** The namespace is going away with all that is in it: nothing new may come. */
export function isNamespaceTerminating(error: unknown): boolean {
  return (
    error instanceof StatusError &&
    (error.status.details?.causes ?? []).some(({ reason }) => reason === 'NamespaceTerminating')
  );
}

/** The controller, content with what it cannot create because the namespace is going: its object goes too. */
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
