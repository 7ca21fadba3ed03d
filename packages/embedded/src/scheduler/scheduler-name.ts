/** Pods that name another scheduler are not ours. */
export const SCHEDULER_NAME = 'default-scheduler';
